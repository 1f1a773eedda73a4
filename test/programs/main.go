// The main job by the client that oapi-codegen made: main ADDRESS KEY FILE.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"os"
	"time"

	"example.com/job/dossier"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	address, key, path := os.Args[1], os.Args[2], os.Args[3]
	ctx := context.Background()
	authorized := dossier.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+key)
		return nil
	})
	api := must(dossier.NewClientWithResponses(address, authorized))

	folder := must(api.CreateFolderWithResponse(ctx, dossier.NewFolder{Name: "By Go"})).JSON201
	form := &bytes.Buffer{}
	writer := multipart.NewWriter(form)
	part := must(writer.CreateFormFile("file", "handbook.pdf"))
	must(part.Write(must(os.ReadFile(path))))
	writer.Close()
	params := &dossier.UploadDocumentParams{FolderId: folder.Id}
	document := must(api.UploadDocumentWithBodyWithResponse(ctx, params, writer.FormDataContentType(), form)).JSON201
	status, without := document.Status, false
	for status == dossier.DocumentStatusSyncing {
		time.Sleep(100 * time.Millisecond)
		status = must(api.GetDocumentWithResponse(ctx, document.Id, &dossier.GetDocumentParams{Content: &without})).JSON200.Status
	}

	folders := []string{folder.Id}
	found := must(api.SearchWithResponse(ctx, dossier.SearchQuery{Query: "ceramic filter", FolderIds: &folders})).JSON200
	chat := must(api.CreateChatWithResponse(ctx, dossier.ChatInput{UsedFolders: &folders})).JSON201
	question := dossier.NewMessage{Text: "How often is the ceramic filter replaced?"}
	message := must(api.SendMessageWithResponse(ctx, chat.Id, question)).JSON202
	wait := "wait=20"
	var answer dossier.Answer
	for answer.Answer == "" {
		polled := must(api.PollMessageWithResponse(ctx, chat.Id, message.RequestId.String(), &dossier.PollMessageParams{Prefer: &wait})).JSON200
		if state, ok := must(polled.ValueByDiscriminator()).(dossier.CompletedAnswer); ok {
			answer = state.Result
		}
	}
	cited := answer.Citations[0]
	length := cited.End - cited.Start
	read := must(api.ReadDocumentTextWithResponse(ctx, cited.DocumentId, &dossier.ReadDocumentTextParams{Start: &cited.Start, Length: &length})).JSON200
	names := []string{}
	for _, one := range must(api.ListDocumentsWithResponse(ctx, &dossier.ListDocumentsParams{FolderId: folder.Id})).JSON200.Data {
		names = append(names, one.Name)
	}
	must(api.DeleteFolderWithResponse(ctx, folder.Id))
	gone := must(api.GetFolderWithResponse(ctx, folder.Id))
	out := must(json.Marshal(map[string]any{
		"status":        status,
		"found":         len(found.Data) > 0,
		"answer":        answer.Answer,
		"quote_is_text": read.Text == cited.Quote,
		"names":         names,
		"gone":          []any{gone.StatusCode(), gone.ApplicationproblemJSON404.Code},
	}))
	fmt.Println(string(out))
}
