/** The records of the API, made by `npm run build:client` from the OpenAPI document. */
export interface paths {
    readonly "/api/dev/v1/openapi.json": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: operations["getOpenApi"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/users/{userId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        readonly delete: operations["deleteUser"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/audit": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: operations["listAuditEntries"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/audit/export": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: operations["exportAuditEntries"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/folders": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: operations["listFolders"];
        readonly put?: never;
        readonly post: operations["createFolder"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/folders/{folderId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: operations["getFolder"];
        readonly put: operations["updateFolder"];
        readonly post?: never;
        readonly delete: operations["deleteFolder"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/prompts": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: operations["listPrompts"];
        readonly put?: never;
        readonly post: operations["createPrompt"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/prompts/{promptId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: operations["getPrompt"];
        readonly put: operations["updatePrompt"];
        readonly post?: never;
        readonly delete: operations["deletePrompt"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/documents": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: operations["listDocuments"];
        readonly put?: never;
        readonly post: operations["createDocument"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/documents/file": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: operations["uploadDocument"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/documents/{documentId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: operations["getDocument"];
        readonly put?: never;
        readonly post?: never;
        readonly delete: operations["unlinkDocument"];
        readonly options?: never;
        readonly head?: never;
        readonly patch: operations["renameDocument"];
        readonly trace?: never;
    };
    readonly "/api/dev/v1/documents/{documentId}/text": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: operations["readDocumentText"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/documents/{documentId}/file": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: operations["downloadDocument"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/documents/{documentId}/reindex": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: operations["reindexDocument"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/documents/{documentId}/links": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: operations["linkDocument"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/documents/{documentId}/restore": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: operations["restoreDocument"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/documents/batch": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: operations["changeDocuments"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/folders/{folderId}/document-ids": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: operations["listDocumentIds"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/folders/{folderId}/documents.zip": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: operations["downloadDocuments"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/search": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: operations["search"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/chats": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: operations["listChats"];
        readonly put?: never;
        readonly post: operations["createChat"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/chats/{sessionId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: operations["getChat"];
        readonly put: operations["updateChat"];
        readonly post?: never;
        readonly delete: operations["deleteChat"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/chats/{sessionId}/restore": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: operations["restoreChat"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/chats/{sessionId}/messages": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: operations["listMessages"];
        readonly put?: never;
        readonly post: operations["sendMessage"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/chats/{sessionId}/messages/{requestId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: operations["pollMessage"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/chats/{sessionId}/messages/{requestId}/stream": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: operations["streamMessage"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/chats/{sessionId}/messages/{requestId}/cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: operations["cancelMessage"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/chats/{sessionId}/messages/{requestId}/feedback": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put: operations["giveFeedback"];
        readonly post?: never;
        readonly delete: operations["deleteFeedback"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/feedback": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: operations["listFeedback"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/feedback/all": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: operations["listAllFeedback"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/answering": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: operations["getAnswering"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/suggested-questions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: operations["suggestQuestions"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/events": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: operations["watchEvents"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/folders/{folderId}/export": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: operations["exportFolder"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/folders/import": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: operations["importFolder"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/folder-imports": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: operations["listFolderImports"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/folder-imports/{importId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: operations["getFolderImport"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/folder-imports/{importId}/ids": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: operations["listFolderImportIds"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/webhooks": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: operations["listWebhooks"];
        readonly put?: never;
        readonly post: operations["createWebhook"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/webhooks/{webhookId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: operations["getWebhook"];
        readonly put?: never;
        readonly post?: never;
        readonly delete: operations["deleteWebhook"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/webhooks/{webhookId}/rotate-secret": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: operations["rotateWebhookSecret"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/webhooks/{webhookId}/test": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: operations["testWebhook"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/webhooks/{webhookId}/deliveries": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: operations["listWebhookDeliveries"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/webhooks/{webhookId}/deliveries/{deliveryId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: operations["getWebhookDelivery"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: operations["redeliverWebhook"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/imports": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: operations["listImports"];
        readonly put?: never;
        readonly post: operations["createImport"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/imports/files": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: operations["importFiles"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/imports/{importId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: operations["getImport"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/imports/{importId}/items": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: operations["listImportItems"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/imports/{importId}/cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: operations["cancelImport"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/imports/{importId}/retry": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: operations["retryImport"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/import-schedules": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: operations["listImportSchedules"];
        readonly put?: never;
        readonly post: operations["createImportSchedule"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/import-schedules/{scheduleId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        readonly delete: operations["deleteImportSchedule"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/import-directories": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: operations["listImportDirectories"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/settings": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: operations["listAllSettings"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch: operations["changeSettings"];
        readonly trace?: never;
    };
    readonly "/api/dev/v1/settings/sections": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: operations["listTriedSections"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/settings/{section}/test": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: operations["trySettings"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/transcriptions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: operations["listTranscriptions"];
        readonly put?: never;
        readonly post: operations["createTranscription"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/transcriptions/{transcriptionId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: operations["getTranscription"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/transcriptions/{transcriptionId}/result": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: operations["getTranscriptionResult"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/dev/v1/transcriptions/{transcriptionId}/cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: operations["cancelTranscription"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export interface webhooks {
    readonly "document.synced": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: operations["onDocumentSynced"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "document.failed": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: operations["onDocumentFailed"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "document.deleted": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: operations["onDocumentDeleted"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "answer.completed": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: operations["onAnswerCompleted"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "import.finished": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: operations["onImportFinished"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "transcription.completed": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: operations["onTranscriptionCompleted"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export interface components {
    schemas: {
        readonly Answer: {
            /** @description Markdown with `[1]` markers that name citations, and `[?]` behind what no source bears out, or only one that was deleted or changed while the answer was made. */
            readonly answer: string;
            readonly outcome: components["schemas"]["AnswerOutcome"];
            /** @description Every sentence is borne out by what it cites: numbers, negations and names agree too. */
            readonly grounded: boolean;
            /** @description What the markers of `answer` name, in their order. `quote` is the sentence or two that carry the statement, at most 500 code points. */
            readonly citations: readonly components["schemas"]["Citation"][];
            /** @description Further passages worth reading, best first; five in all together with the citations. */
            readonly related: readonly components["schemas"]["RelatedPassage"][];
            readonly model: string;
            /** @description Ids of the saved prompts that were applied. */
            readonly prompts: readonly string[];
            /** @description Null when no language model was asked. */
            readonly usage: components["schemas"]["AnswerUsage"] | null;
            readonly timings: components["schemas"]["AnswerTimings"];
            /** @description What else a reader should know. With the code `overview` the answer names what the folders hold, and is no statement of the documents. */
            readonly warnings: readonly components["schemas"]["Failure"][];
        };
        /** @description Somebody has ended an answer before it was there. */
        readonly AnswerCancelledEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly event: "answer.cancelled";
            readonly chat_id: string;
            readonly requestId: string;
            /** @constant */
            readonly status: "CANCELLED";
        };
        /** @description A message of a chat session has its answer, which polling the message gives. */
        readonly AnswerCompletedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly event: "answer.completed";
            readonly chat_id: string;
            readonly requestId: string;
            /** @constant */
            readonly status: "COMPLETED";
            readonly outcome: components["schemas"]["AnswerOutcome"];
        };
        readonly AnswerDelta: {
            /** @description A further piece of the answer. */
            readonly text: string;
        };
        /** @description One server-sent event. Between events there may be comments. */
        readonly AnswerEvent: {
            /** @description For `Last-Event-ID`. */
            readonly id: string;
            /** @enum {string} */
            readonly event: "status" | "delta" | "citation" | "done" | "error";
            /** @description JSON, in one line. */
            readonly data: string;
        };
        /** @description A message of a chat session gets no answer any more: every attempt failed. */
        readonly AnswerFailedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly event: "answer.failed";
            readonly chat_id: string;
            readonly requestId: string;
            /** @constant */
            readonly status: "FAILED";
            readonly error: components["schemas"]["Failure"];
        };
        /** @enum {string} */
        readonly AnswerOutcome: "answered" | "no_answer";
        /** @description A question was asked: its answer is about to be made. */
        readonly AnswerStartedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly event: "answer.started";
            readonly chat_id: string;
            readonly requestId: string;
            /** @constant */
            readonly status: "PENDING";
        };
        readonly AnswerStatus: {
            readonly status: components["schemas"]["UnfinishedStatus"];
        };
        readonly AnswerTimings: {
            /** Format: int64 */
            readonly queue_ms: number;
            /** Format: int64 */
            readonly retrieve_ms: number;
            /** Format: int64 */
            readonly generate_ms: number;
        };
        readonly AnswerUsage: {
            /** Format: int64 */
            readonly input_tokens: number;
            /** Format: int64 */
            readonly output_tokens: number;
        };
        readonly Answering: {
            /** @description Its name; null when nothing is set up. */
            readonly answerer: string | null;
            /** @description Whether answers take notice of the saved prompts of a session. */
            readonly uses_prompts: boolean;
        };
        readonly AuditEntry: {
            readonly id: string;
            /** Format: date-time */
            readonly at: string;
            /** @description The user; null when it was nobody that is known. */
            readonly actor_id: string | null;
            /** @description Their email then; for commands the user of the operating system who ran it. */
            readonly actor: string | null;
            /** @description `console`, `api` or `command_line`. */
            readonly via: string;
            /** @description The API key, or the session. */
            readonly key_id: string | null;
            /** @description Where the request came from. */
            readonly address: string | null;
            /** @description The operation as this document names it, or the command: `user create`. */
            readonly action: string;
            /** @description The id of what it was done to. */
            readonly record: string | null;
            readonly outcome: components["schemas"]["AuditOutcome"];
            /**
             * Format: int64
             * @description The HTTP status of the answer.
             */
            readonly status: number | null;
            readonly request_id: string | null;
        };
        readonly AuditEntryPage: {
            readonly data: readonly components["schemas"]["AuditEntry"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        /** @enum {string} */
        readonly AuditOutcome: "done" | "refused" | "failed";
        readonly Chat: {
            /** @description Opaque, starts with `chs_`. */
            readonly id: string;
            /** @description What people call the session: trimmed, at most 255 characters. A blank name is none. */
            readonly name: string | null;
            /** @description Ids of the folders that answers come from, subfolders included; at most 200. */
            readonly usedFolders: readonly string[];
            /** @description Ids of the saved prompts that answers respect, in this order; at most 20. */
            readonly usedPrompts: readonly string[];
            /** @description `true`: answers come from every folder that the owner has when a question is answered, whatever `usedFolders` names. */
            readonly all_folders: boolean;
            /** @description Kept above the others: `GET /chats?pinned=true`. */
            readonly pinned: boolean;
            /**
             * Format: int64
             * @description Messages sent to the session.
             */
            readonly message_count: number;
            /**
             * Format: date-time
             * @description When the last message was sent; null before the first one.
             */
            readonly last_message_at: string | null;
            /**
             * Format: date-time
             * @description When the session was created.
             */
            readonly created_at: string;
            /**
             * Format: date-time
             * @description When its name, folders, prompts or pin were last changed.
             */
            readonly updated_at: string;
        };
        /** @description A chat session has another name, other folders or prompts. */
        readonly ChatChangedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly event: "chat.changed";
            readonly chat_id: string;
        };
        /** @description There is a new chat session, or one that was deleted is back. */
        readonly ChatCreatedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly event: "chat.created";
            readonly chat_id: string;
        };
        /** @description A chat session is deleted; for a while it can be restored. */
        readonly ChatDeletedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly event: "chat.deleted";
            readonly chat_id: string;
        };
        readonly ChatInput: {
            /** @description What people call the session: trimmed, at most 255 characters. A blank name is none. */
            readonly name?: components["schemas"]["ChatName"] | null;
            /** @description Ids of folders. On a change it replaces the list; null empties it. */
            readonly usedFolders?: readonly string[] | null;
            /** @description Ids of saved prompts. On a change it replaces the list; null empties it. */
            readonly usedPrompts?: readonly string[] | null;
            /** @description As in the session; null means false. */
            readonly all_folders?: boolean | null;
            /** @description As in the session; null means false. */
            readonly pinned?: boolean | null;
        };
        /** @description What people call the session: trimmed, at most 255 characters. A blank name is none. */
        readonly ChatName: string;
        readonly ChatPage: {
            readonly data: readonly components["schemas"]["Chat"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        /** @enum {string} */
        readonly CheckStatus: "ok" | "warn" | "fail";
        readonly Citation: {
            /** Format: int64 */
            readonly id: number;
            readonly document_id: string;
            readonly document_name: string;
            /** Format: int64 */
            readonly document_version: number;
            /** @description A folder of the scope that holds the document. */
            readonly folder_id: string;
            /** @description Exactly `content[start:end]` of that document version. */
            readonly quote: string;
            /**
             * Format: int64
             * @description First code point of the quote in the document's content.
             */
            readonly start: number;
            /**
             * Format: int64
             * @description Code point after the last one of the quote.
             */
            readonly end: number;
            readonly passage: components["schemas"]["PassagePlace"];
            /** Format: int64 */
            readonly page: number | null;
            /** Format: int64 */
            readonly page_end: number | null;
            /** @description What the document itself calls `page`, where that says more than its number: `iv` of a PDF, `Slide 4 · Risks`, `Sheet Budget`; null otherwise. */
            readonly page_label: string | null;
            /** @description Of a transcript: where in the recording the quote begins, seconds. */
            readonly time_start: number | null;
            /** @description Of a transcript: where in the recording the quote ends, seconds. */
            readonly time_end: number | null;
            readonly heading: string | null;
            /** @description 0 to 1. It orders the passages of one search, and says nothing across searches. */
            readonly score: number;
            /** @description The quote was compared with the stored text when the answer was made. */
            readonly verified: boolean;
            /** @description The passage no longer exists. */
            readonly stale: boolean;
            /** @description Where the document is fetched. */
            readonly url: string;
        };
        /** @description The key or the session has ended. The stream ends with it. */
        readonly ClosedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly event: "closed";
        };
        /** @description The answer is there. */
        readonly CompletedAnswer: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly status: "COMPLETED";
            /**
             * Format: uuid
             * @description UUID of the request, as it was sent or made by the server.
             */
            readonly requestId: string;
            readonly result: components["schemas"]["Answer"];
        };
        readonly Delivery: {
            /** @description Opaque, starts with `whd_`. */
            readonly id: string;
            readonly webhook_id: string;
            /** @description `transcription.completed` or `import.finished`; plugins may add further ones. Those of documents and answers can be registered for with a list of `events` only. */
            readonly event_type: string;
            readonly status: components["schemas"]["DeliveryStatus"];
            /** @description Oldest first, at most three. */
            readonly attempts: readonly components["schemas"]["DeliveryAttempt"][];
            /**
             * Format: date-time
             * @description When the next attempt begins, if one is to come.
             */
            readonly next_attempt_at: string | null;
            /** @description Exactly what every attempt sends. */
            readonly request_body: string;
            /**
             * Format: date-time
             * @description When it was due.
             */
            readonly created_at: string;
        };
        readonly DeliveryAttempt: {
            /**
             * Format: date-time
             * @description When it began.
             */
            readonly at: string;
            /** Format: int64 */
            readonly status_code: number | null;
            /** @description Why there was no answer, or why it does not count. */
            readonly error: string | null;
            /**
             * Format: int64
             * @description Until its end; until now while it is under way.
             */
            readonly duration_ms: number;
            /** @description The first 4 KiB. */
            readonly response_body: string | null;
        };
        readonly DeliveryPage: {
            readonly data: readonly components["schemas"]["Delivery"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        /**
         * @description `delivered`: an attempt got a 2xx. `skipped`: the host has an address that is not public. `dropped`: three attempts failed.
         * @enum {string}
         */
        readonly DeliveryStatus: "pending" | "delivered" | "skipped" | "dropped" | "cancelled";
        /** @description A directory on the server, below one that the operator allows (`imports.directories`). Its directories become subfolders; in those, the path becomes part of the name. Hidden files, symbolic links and the server's own data are left out. */
        readonly DirectorySource: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly type: "directory";
            /** @description Absolute. */
            readonly path: string;
        };
        readonly Document: {
            /** @description Opaque, starts with `doc_`. */
            readonly id: string;
            readonly name: string;
            readonly status: components["schemas"]["DocumentStatus"];
            /**
             * Format: uri-reference
             * @description Where the whole document is fetched, its text included.
             */
            readonly content_url: string;
            /** @description The folders that hold it now. */
            readonly folder_ids: readonly string[];
            /** @description Of the newest version; until it is read, what the sender said. */
            readonly media_type: string;
            readonly file_type: components["schemas"]["FileType"];
            /**
             * Format: int64
             * @description Of the newest version.
             */
            readonly size_bytes: number;
            /** @description Of the newest version, lower-case hex. */
            readonly sha256: string;
            /**
             * Format: int64
             * @description Counts up with every overwrite.
             */
            readonly version: number;
            /** Format: int64 */
            readonly page_count: number | null;
            /** @description Of the text, as far as it could be told. */
            readonly language: string | null;
            readonly source: components["schemas"]["DocumentSource"];
            readonly indexing: components["schemas"]["Indexing"];
            /** @description Why the newest version could not be indexed. */
            readonly error: components["schemas"]["DocumentError"] | null;
            readonly warnings: readonly components["schemas"]["DocumentWarning"][];
            /**
             * Format: date-time
             * @description When the document was created.
             */
            readonly created_at: string;
            /**
             * Format: date-time
             * @description When its name, version or status last changed.
             */
            readonly updated_at: string;
            /**
             * Format: date-time
             * @description When the version that answers was indexed.
             */
            readonly synced_at: string | null;
        };
        readonly DocumentBatch: components["schemas"]["UnlinkOrRestoreDocuments"] | components["schemas"]["LinkDocuments"] | components["schemas"]["MoveDocuments"] | components["schemas"]["ReindexDocuments"];
        readonly DocumentBatchProblem: {
            readonly document_id: string;
            /**
             * Format: int64
             * @description What the call for this one alone would answer.
             */
            readonly status: number;
            readonly code: string;
            readonly detail: string;
        };
        readonly DocumentBatchResult: {
            /**
             * Format: int64
             * @description How many it was done with.
             */
            readonly done: number;
            /** @description Those it could not be done with, each with its reason. */
            readonly problems: readonly components["schemas"]["DocumentBatchProblem"][];
        };
        readonly DocumentChange: {
            /** @description Trimmed, not blank, no control characters, at most 255 characters. */
            readonly name: components["schemas"]["DocumentName"];
        };
        /** @description A document was renamed (`name`), put into a folder or taken out of one (`folders`), or has a new version, which is about to be read (`content`). */
        readonly DocumentChangedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly event: "document.changed";
            readonly document_id: string;
            /** @enum {string} */
            readonly changed: "name" | "folders" | "content";
            /** @description The folders that hold it. */
            readonly folder_ids: readonly string[];
            /** @description The folder that it was put into, or taken out of. */
            readonly folder_id?: string;
        };
        /** @description There is a new document, which is about to be read. */
        readonly DocumentCreatedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly event: "document.created";
            readonly document_id: string;
            readonly name: string;
            readonly folder_id: string;
            readonly kind: components["schemas"]["DocumentOrigin"];
        };
        /** @description A document is gone for good: with its last folder, or because nobody put it back in time. Of a folder with many documents they come one after the other. */
        readonly DocumentDeletedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly event: "document.deleted";
            readonly document_id: string;
            readonly name: string;
        };
        readonly DocumentError: {
            readonly code: components["schemas"]["DocumentErrorCode"];
            readonly message: string;
        };
        /** @enum {string} */
        readonly DocumentErrorCode: "unsupported_type" | "too_large" | "encrypted" | "corrupt" | "empty" | "timeout" | "out_of_memory" | "extract_failed" | "cancelled";
        /** @description A version of a document can't be read; the one before, if any, goes on answering. */
        readonly DocumentFailedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly event: "document.failed";
            readonly document_id: string;
            /** @constant */
            readonly status: "sync_failed";
            /** Format: int64 */
            readonly version: number;
            /** @description The folders that hold it. */
            readonly folder_ids: readonly string[];
            readonly error: components["schemas"]["Failure"];
        };
        readonly DocumentIds: {
            readonly ids: readonly string[];
            /**
             * Format: int64
             * @description How many there are, after `after` where it is given; an answer has at most 50000.
             */
            readonly total: number;
        };
        readonly DocumentLink: {
            /** @description The folder. */
            readonly folder_id: string;
        };
        /** @description Trimmed, not blank, no control characters. */
        readonly DocumentName: string;
        /**
         * @description What it is to be called, instead of the file's name.
         * @example 2026/survey.pdf
         */
        readonly DocumentName2: string;
        /**
         * @description What it is to be called, instead of the recording's name.
         * @example Interview with the warden
         */
        readonly DocumentName3: string;
        /** @enum {string} */
        readonly DocumentOrigin: "text" | "upload" | "import" | "transcription";
        readonly DocumentPage: {
            readonly data: readonly components["schemas"]["Document"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        /**
         * @description Those that are alike come newest first. `name`: numbers in names count.
         * @enum {string}
         */
        readonly DocumentSort: "created" | "name" | "type" | "size" | "status" | "updated";
        readonly DocumentSource: {
            readonly kind: components["schemas"]["DocumentOrigin"];
            readonly uri: string | null;
            readonly run_id: string | null;
        };
        /**
         * @description `syncing`: the newest version is being indexed; `synced`: it answers; `sync_failed`: it could not be indexed, see `error`.
         * @enum {string}
         */
        readonly DocumentStatus: "syncing" | "synced" | "sync_failed";
        /** @description A version of a document answers from now on; also after it was indexed again. */
        readonly DocumentSyncedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly event: "document.synced";
            readonly document_id: string;
            /** @constant */
            readonly status: "synced";
            /** Format: int64 */
            readonly version: number;
            /** @description The folders that hold it. */
            readonly folder_ids: readonly string[];
        };
        readonly DocumentText: {
            readonly document_id: string;
            readonly name: string;
            /**
             * Format: int64
             * @description Whose text this is; 0 before there is any.
             */
            readonly version: number;
            readonly text: string;
            /**
             * Format: int64
             * @description The first code point of `text` in the document's content.
             */
            readonly start: number;
            /**
             * Format: int64
             * @description The one after its last.
             */
            readonly end: number;
            /**
             * Format: int64
             * @description Where to read on for what was asked for; null at its end.
             */
            readonly next_start: number | null;
            /**
             * Format: int64
             * @description Of the whole content, code points.
             */
            readonly length: number;
            /**
             * Format: int64
             * @description The page of the first code point; null for a format without pages.
             */
            readonly page: number | null;
            /**
             * Format: int64
             * @description The page of the last one.
             */
            readonly page_end: number | null;
            /** @description What the document itself calls `page`, where that says more than its number: `iv` of a PDF, `Slide 4 · Risks`, `Sheet Budget`; null otherwise. */
            readonly page_label: string | null;
        };
        readonly DocumentWarning: {
            readonly code: string;
            readonly message: string;
            /** Format: int64 */
            readonly page: number | null;
        };
        readonly DocumentWithContent: {
            /** @description Opaque, starts with `doc_`. */
            readonly id: string;
            readonly name: string;
            readonly status: components["schemas"]["DocumentStatus"];
            /**
             * Format: uri-reference
             * @description Where the whole document is fetched, its text included.
             */
            readonly content_url: string;
            /** @description The folders that hold it now. */
            readonly folder_ids: readonly string[];
            /** @description Of the newest version; until it is read, what the sender said. */
            readonly media_type: string;
            readonly file_type: components["schemas"]["FileType"];
            /**
             * Format: int64
             * @description Of the newest version.
             */
            readonly size_bytes: number;
            /** @description Of the newest version, lower-case hex. */
            readonly sha256: string;
            /**
             * Format: int64
             * @description Counts up with every overwrite.
             */
            readonly version: number;
            /** Format: int64 */
            readonly page_count: number | null;
            /** @description Of the text, as far as it could be told. */
            readonly language: string | null;
            readonly source: components["schemas"]["DocumentSource"];
            readonly indexing: components["schemas"]["Indexing"];
            /** @description Why the newest version could not be indexed. */
            readonly error: components["schemas"]["DocumentError"] | null;
            readonly warnings: readonly components["schemas"]["DocumentWarning"][];
            /**
             * Format: date-time
             * @description When the document was created.
             */
            readonly created_at: string;
            /**
             * Format: date-time
             * @description When its name, version or status last changed.
             */
            readonly updated_at: string;
            /**
             * Format: date-time
             * @description When the version that answers was indexed.
             */
            readonly synced_at: string | null;
            /** @description The text of the version that answers; empty until there is text, absent with `content=false`. */
            readonly content?: string;
        };
        /**
         * @description What went wrong, stable: programs may branch on it.
         *
         *     - `admin_only`: Only administrators may do this.
         *     - `already_ended`: The run has ended.
         *     - `archive_too_large`: What the archive unpacks to is larger than the server accepts.
         *     - `bad_archive`: The archive has a fault: the detail names the part.
         *     - `body_timeout`: The body came too slowly.
         *     - `check_failed`: A check of a plugin failed. Nothing was saved; try again later.
         *     - `conflict`: The record is not in a state in which this is possible.
         *     - `duplicate_webhook`: There is a webhook for this event and URL already.
         *     - `folder_limit`: The document is in as many folders as it may be.
         *     - `forbidden`: The record is another user's, or this is not allowed.
         *     - `gone`: The record was deleted, and can be restored.
         *     - `import_ended`: The run has ended.
         *     - `internal_error`: Something went wrong inside the server.
         *     - `invalid_request`: The request is malformed; `errors` names the fields.
         *     - `last_admin`: This is the last active administrator.
         *     - `malformed_json`: The body is not JSON in UTF-8, or nests too deeply.
         *     - `malformed_multipart`: The multipart body can't be read.
         *     - `method_not_allowed`: The path exists, with the methods that `Allow` names.
         *     - `missing_scope`: The API key lacks the scope that this needs.
         *     - `name_taken`: A document with the same file name already exists.
         *     - `no_result`: The run is not completed.
         *     - `no_such_page`: The document has no such page, or no pages at all.
         *     - `no_such_route`: There is no such path.
         *     - `not_found`: There is no such record.
         *     - `nothing_to_retry`: The run is under way, was cancelled, or nothing of it has failed.
         *     - `quota_exceeded`: A quota is reached: the detail names the limit in force.
         *     - `range_not_satisfiable`: The range lies outside.
         *     - `rate_limited`: The rate limit is exceeded.
         *     - `refused`: A plugin refuses it, with this code or one of its own. Nothing was saved.
         *     - `storage_full`: The storage is full; nothing was saved.
         *     - `too_large`: The body or the file is larger than is accepted.
         *     - `too_many_searches`: Too many searches of this account are under way.
         *     - `too_many_streams`: Too many answers of this account are being watched.
         *     - `too_many_values`: The body has more values than are accepted.
         *     - `unauthorized`: The API key is missing or not valid.
         *     - `unavailable`: The server is busy, or can't do it at the moment: try again after `Retry-After`.
         *     - `unsupported_media_type`: The body is of a media type that the operation does not take.
         *     - `webhook_limit`: An account holds as many webhooks as it may; the detail names the limit.
         * @enum {string}
         */
        readonly ErrorCode: "admin_only" | "already_ended" | "archive_too_large" | "bad_archive" | "body_timeout" | "check_failed" | "conflict" | "duplicate_webhook" | "folder_limit" | "forbidden" | "gone" | "import_ended" | "internal_error" | "invalid_request" | "last_admin" | "malformed_json" | "malformed_multipart" | "method_not_allowed" | "missing_scope" | "name_taken" | "no_result" | "no_such_page" | "no_such_route" | "not_found" | "nothing_to_retry" | "quota_exceeded" | "range_not_satisfiable" | "rate_limited" | "refused" | "storage_full" | "too_large" | "too_many_searches" | "too_many_streams" | "too_many_values" | "unauthorized" | "unavailable" | "unsupported_media_type" | "webhook_limit";
        readonly Failure: {
            readonly code: string;
            readonly message: string;
        };
        /** @description A feed (RSS, Atom or JSON Feed): the pages that its entries lead to. */
        readonly FeedSource: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly type: "feed";
            readonly url: components["schemas"]["WebAddress"];
        };
        readonly Feedback: {
            readonly rating: components["schemas"]["Rating"];
            /** @description What is good or wrong about it, in a few words; at most 4,000 characters. A blank note is none. */
            readonly note: string | null;
            /**
             * Format: date-time
             * @description When it was first given.
             */
            readonly created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            readonly updated_at: string;
        };
        readonly FeedbackOfUser: {
            readonly rating: components["schemas"]["Rating"];
            /** @description What is good or wrong about it, in a few words; at most 4,000 characters. A blank note is none. */
            readonly note: string | null;
            /**
             * Format: date-time
             * @description When it was first given.
             */
            readonly created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            readonly updated_at: string;
            /** @description The message that was answered. */
            readonly question: string;
            readonly outcome: components["schemas"]["AnswerOutcome"];
            /** @description What made the answer. */
            readonly model: string;
            readonly user_id: string;
        };
        readonly FeedbackOfUserPage: {
            readonly data: readonly components["schemas"]["FeedbackOfUser"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        readonly FieldProblem: {
            /** @description JSON pointer into the body, or `?name` for a query field. */
            readonly pointer: string;
            readonly detail: string;
        };
        /**
         * @description Told by the media type; `text` is text of every kind, Markdown and code too.
         * @enum {string}
         */
        readonly FileType: "pdf" | "word" | "spreadsheet" | "presentation" | "web" | "mail" | "text" | "picture" | "recording" | "other";
        readonly Folder: {
            /** @description Opaque, starts with `fld_`. */
            readonly id: string;
            /** @description Trimmed, not blank, at most 255 characters. */
            readonly name: string;
            /** @description A note for people, at most 4,000 characters. */
            readonly description: string | null;
            /** @description The root folder that this one lies in; null for a root folder. Folders have two levels. */
            readonly parentId: string | null;
            /**
             * Format: int64
             * @description Documents linked to this very folder, subfolders aside.
             */
            readonly document_count: number;
            readonly status_counts: components["schemas"]["FolderStatusCounts"];
            /**
             * Format: int64
             * @description Of these documents, those that wait for their vectors; until then words find them.
             */
            readonly vectors_pending: number;
            /**
             * Format: date-time
             * @description When it was created.
             */
            readonly created_at: string;
            /**
             * Format: date-time
             * @description When its name or description was last changed.
             */
            readonly updated_at: string;
        };
        readonly FolderChange: {
            readonly name?: components["schemas"]["Name"];
            /** @description A note for people, at most 4,000 characters. */
            readonly description?: string | null;
        };
        /** @description A folder has another name or description. */
        readonly FolderChangedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly event: "folder.changed";
            readonly folder_id: string;
            readonly name: string;
        };
        /** @description There is a new folder. */
        readonly FolderCreatedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly event: "folder.created";
            readonly folder_id: string;
            readonly name: string;
            /** @description Null for a root folder. */
            readonly parent_id: string | null;
        };
        /** @description A folder is deleted, with all that was in it. */
        readonly FolderDeletedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly event: "folder.deleted";
            /** @description Its subfolders, and itself last; most of thousands have earlier events. */
            readonly folder_ids: readonly string[];
        };
        readonly FolderImport: {
            /** @description Opaque, starts with `fim_`. */
            readonly id: string;
            /**
             * @description Nothing is found of it before it is `completed`, and then all of it.
             * @enum {string}
             */
            readonly status: "pending" | "running" | "completed" | "failed";
            /** @description The folder, once it is completed. */
            readonly folder_id: string | null;
            /**
             * Format: int64
             * @description Documents of the archive.
             */
            readonly document_count: number;
            /**
             * Format: int64
             * @description Those that are here.
             */
            readonly completed_document_count: number;
            /** @description What the archive holds, once it was looked through. */
            readonly counts: components["schemas"]["FolderImportCounts"] | null;
            /** @description What the folder had, and the archive has not: documents that changed while it was made, chats that asked other folders too, messages that were being answered. */
            readonly left_out: components["schemas"]["FolderImportLeftOut"] | null;
            /** @description Why it failed. */
            readonly error: components["schemas"]["Failure"] | null;
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly started_at: string | null;
            /** Format: date-time */
            readonly finished_at: string | null;
        };
        readonly FolderImportCounts: {
            /** Format: int64 */
            readonly folders: number;
            /** Format: int64 */
            readonly documents: number;
            /** Format: int64 */
            readonly originals: number;
            /** Format: int64 */
            readonly passages: number;
            /** Format: int64 */
            readonly prompts: number;
            /** Format: int64 */
            readonly chats: number;
            /** Format: int64 */
            readonly messages: number;
        };
        readonly FolderImportId: {
            /** @enum {string} */
            readonly kind: "folder" | "document" | "prompt" | "chat";
            /** @description In the archive. */
            readonly source_id: string;
            /** @description Here. */
            readonly id: string;
        };
        readonly FolderImportIdPage: {
            readonly data: readonly components["schemas"]["FolderImportId"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        readonly FolderImportLeftOut: {
            /** Format: int64 */
            readonly documents: number;
            /** Format: int64 */
            readonly chats: number;
            /** Format: int64 */
            readonly messages: number;
        };
        readonly FolderImportPage: {
            readonly data: readonly components["schemas"]["FolderImport"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        readonly FolderPage: {
            readonly data: readonly components["schemas"]["Folder"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        /** @description The same documents by their status. */
        readonly FolderStatusCounts: {
            /**
             * Format: int64
             * @description Documents whose text is being indexed.
             */
            readonly syncing: number;
            /**
             * Format: int64
             * @description Documents that are found by search and chat.
             */
            readonly synced: number;
            /**
             * Format: int64
             * @description Documents whose text could not be indexed.
             */
            readonly sync_failed: number;
        };
        readonly FoundPassage: {
            readonly document_id: string;
            readonly document_name: string;
            /** Format: int64 */
            readonly document_version: number;
            /** @description A folder of the scope that holds the document. */
            readonly folder_id: string;
            /** @description Exactly `content[start:end]` of that document version. */
            readonly quote: string;
            /**
             * Format: int64
             * @description First code point of the quote in the document's content.
             */
            readonly start: number;
            /**
             * Format: int64
             * @description Code point after the last one of the quote.
             */
            readonly end: number;
            readonly passage: components["schemas"]["PassagePlace"];
            /** Format: int64 */
            readonly page: number | null;
            /** Format: int64 */
            readonly page_end: number | null;
            /** @description What the document itself calls `page`, where that says more than its number: `iv` of a PDF, `Slide 4 · Risks`, `Sheet Budget`; null otherwise. */
            readonly page_label: string | null;
            /** @description Of a transcript: where in the recording the quote begins, seconds. */
            readonly time_start: number | null;
            /** @description Of a transcript: where in the recording the quote ends, seconds. */
            readonly time_end: number | null;
            readonly heading: string | null;
            /** @description 0 to 1. It orders the passages of one search, and says nothing across searches. */
            readonly score: number;
            /** @description The quote was compared with the stored text when the answer was made. */
            readonly verified: boolean;
            /** @description The passage no longer exists. */
            readonly stale: boolean;
            /** @description Where the document is fetched. */
            readonly url: string;
            /**
             * @description Why it was found: it holds words of the query, its meaning is near, or both.
             * @enum {string}
             */
            readonly matched: "words" | "meaning" | "both";
        };
        /** @description As it was given; `{type: "files"}` for files of the user's device. */
        readonly GivenSource: {
            readonly type: string;
        } & {
            readonly [key: string]: unknown;
        };
        /**
         * @description What happens to the document of an item that the source has no longer: `keep`, or `remove`: it is taken out of its folder, where it can be restored for a while. Default `keep`. Of sources that tell of what is gone; `directory`, `sitemap` and `zip` do.
         * @enum {string}
         */
        readonly GoneSetting: "keep" | "remove";
        readonly Import: {
            /** @description Opaque, starts with `imp_`. */
            readonly id: string;
            readonly status: components["schemas"]["ImportStatus"];
            /** @description Where the documents go. */
            readonly folder_id: string;
            readonly source: components["schemas"]["GivenSource"];
            readonly overwrite: boolean;
            /** @description The schedule that began it. */
            readonly schedule_id: string | null;
            /**
             * Format: int64
             * @description Items that are known so far.
             */
            readonly total_item_count: number;
            /**
             * Format: int64
             * @description Succeeded and failed ones.
             */
            readonly completed_item_count: number;
            /**
             * Format: int64
             * @description Indexed, or unchanged.
             */
            readonly succeeded_item_count: number;
            /**
             * Format: int64
             * @description Each with its reason, see the items.
             */
            readonly failed_item_count: number;
            /**
             * Format: int64
             * @description Those of the succeeded that were unchanged.
             */
            readonly skipped_item_count: number;
            /**
             * @description What happens to what is gone; left out when it is kept.
             * @constant
             */
            readonly gone?: "remove";
            /**
             * Format: int64
             * @description Those of the succeeded that the source has no longer; left out when there are none.
             */
            readonly gone_item_count?: number;
            /** @description Why the source could not be read to its end. */
            readonly error: components["schemas"]["Failure"] | null;
            /**
             * Format: date-time
             * @description When it was asked for.
             */
            readonly created_at: string;
            /**
             * Format: date-time
             * @description When the source was first read.
             */
            readonly started_at: string | null;
            /**
             * Format: date-time
             * @description When its last item ended.
             */
            readonly finished_at: string | null;
        };
        /** @description An import was cancelled. */
        readonly ImportCancelledEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly event: "import.cancelled";
            /** @constant */
            readonly status: "cancelled";
            /** @description The id of the import. */
            readonly import_run_id: string;
            readonly folder_id: string;
            /**
             * Format: int64
             * @description Items that are known so far.
             */
            readonly total_item_count: number;
            /** Format: int64 */
            readonly completed_item_count: number;
            /** Format: int64 */
            readonly succeeded_item_count: number;
            /** Format: int64 */
            readonly failed_item_count: number;
        };
        /** @description An import has begun, goes on, or is tried again. Of several, only the last may be told. */
        readonly ImportChangedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly event: "import.changed";
            readonly status: components["schemas"]["RunningStatus"];
            /** @description The id of the import. */
            readonly import_run_id: string;
            readonly folder_id: string;
            /**
             * Format: int64
             * @description Items that are known so far.
             */
            readonly total_item_count: number;
            /** Format: int64 */
            readonly completed_item_count: number;
            /** Format: int64 */
            readonly succeeded_item_count: number;
            /** Format: int64 */
            readonly failed_item_count: number;
        };
        readonly ImportDirectories: {
            readonly directories: readonly string[];
        };
        /** @description An import was processed to its end, whether it went well or not; also one of files of a device, of which no webhook is told. */
        readonly ImportFinishedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly event: "import.finished";
            /** @description The id of the import. */
            readonly import_run_id: string;
            /** @enum {string} */
            readonly status: "completed" | "completed_with_errors" | "failed";
            /** Format: int64 */
            readonly completed_item_count: number;
            /** Format: int64 */
            readonly succeeded_item_count: number;
            /** Format: int64 */
            readonly failed_item_count: number;
        };
        readonly ImportItem: {
            readonly id: string;
            /** @description Where it comes from; the name, for files of the user's device. */
            readonly uri: string;
            readonly status: components["schemas"]["ImportItemStatus"];
            /** @description The document that was made of it, or that it has not changed. */
            readonly document_id: string | null;
            /** @description Why it was not imported. */
            readonly error: components["schemas"]["Failure"] | null;
            /**
             * @description The source has it no longer; its document was kept, or taken out of its folder, as the import says.
             * @constant
             */
            readonly gone?: true;
        };
        readonly ImportItemPage: {
            readonly data: readonly components["schemas"]["ImportItem"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        /**
         * @description `skipped`: it had not changed since an earlier import, or the run was cancelled before it was done.
         * @enum {string}
         */
        readonly ImportItemStatus: "pending" | "succeeded" | "failed" | "skipped";
        readonly ImportPage: {
            readonly data: readonly components["schemas"]["Import"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        /** @description With `error` the source can't be read, and the import would fail. */
        readonly ImportPreview: {
            readonly items: readonly components["schemas"]["ImportPreviewItem"][];
            /**
             * Format: int64
             * @description Items in this answer.
             */
            readonly total_item_count: number;
            /** @description The source has more than are shown: at most 1,000 are. */
            readonly more: boolean;
            readonly error?: components["schemas"]["Failure"];
        };
        readonly ImportPreviewItem: {
            readonly uri: string;
            readonly name: string | null;
            /** @description The subfolder it would go into. */
            readonly folder: string | null;
            /** @description Why it would fail. */
            readonly error: string | null;
        };
        readonly ImportSchedule: {
            /** @description Opaque, starts with `sch_`. */
            readonly id: string;
            readonly folder_id: string;
            readonly source: components["schemas"]["GivenSource"];
            /**
             * @description What happens to what is gone; left out when it is kept.
             * @constant
             */
            readonly gone?: "remove";
            /** @description The cron expression, in UTC. */
            readonly every: string;
            /**
             * Format: date-time
             * @description When the next run begins; null when never again.
             */
            readonly next_run_at: string | null;
            /**
             * Format: date-time
             * @description When it was made.
             */
            readonly created_at: string;
        };
        readonly ImportSchedulePage: {
            readonly data: readonly components["schemas"]["ImportSchedule"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        /** @description Where the documents come from. Secret fields, such as passwords, are kept sealed; answers have `{"set": true}` in their place. */
        readonly ImportSource: components["schemas"]["UrlsSource"] | components["schemas"]["SitemapSource"] | components["schemas"]["FeedSource"] | components["schemas"]["ZipSource"] | components["schemas"]["DirectorySource"];
        /**
         * @description `completed`: nothing failed; `completed_with_errors`: some items did; `failed`: none succeeded, or the source could not be read.
         * @enum {string}
         */
        readonly ImportStatus: "pending" | "running" | "completed" | "completed_with_errors" | "failed" | "cancelled";
        readonly Indexing: {
            /** @enum {string} */
            readonly stage: "queued" | "extracting" | "chunking" | "embedding" | "storing" | "done";
            readonly progress: number;
            /** Format: int64 */
            readonly attempts: number;
            readonly vectors: components["schemas"]["VectorsState"];
        };
        /** @description What its last attempt came to. */
        readonly LastDelivery: {
            readonly id: string;
            readonly status: components["schemas"]["DeliveryStatus"];
            /**
             * Format: date-time
             * @description When it was due.
             */
            readonly created_at: string;
            /** Format: int64 */
            readonly status_code: number | null;
            readonly error: string | null;
        };
        readonly LinkDocuments: {
            /**
             * @description `unlink` takes them out of `folder_id`, `restore` puts them back there, `link` puts them into `to_folder_id` too, `move` takes them from `folder_id` to `to_folder_id`, `reindex` reads and indexes them again. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            readonly action: "link";
            readonly document_ids: readonly string[];
            /** @description For `link` and `move`. */
            readonly to_folder_id: string;
        };
        readonly Message: {
            /**
             * Format: uuid
             * @description UUID of the request, as it was sent or made by the server.
             */
            readonly requestId: string;
            readonly text: string;
            readonly status: components["schemas"]["MessageStatus"];
            /**
             * Format: date-time
             * @description When the message was sent.
             */
            readonly created_at: string;
            /**
             * Format: date-time
             * @description When it was answered, failed or was cancelled.
             */
            readonly completed_at: string | null;
            /** @description The answer of a COMPLETED message. */
            readonly result: components["schemas"]["Answer"] | null;
            /** @description Why a message FAILED or was CANCELLED. */
            readonly error: components["schemas"]["Failure"] | null;
            /** @description What the owner thinks of the answer; null while nothing was said. */
            readonly feedback: components["schemas"]["Feedback"] | null;
        };
        readonly MessagePage: {
            readonly data: readonly components["schemas"]["Message"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        readonly MessageState: {
            /**
             * Format: uuid
             * @description UUID of the request, as it was sent or made by the server.
             */
            readonly requestId: string;
            readonly status: components["schemas"]["MessageStatus"];
        };
        /**
         * @description The state the message has now.
         * @enum {string}
         */
        readonly MessageStatus: "PENDING" | "PROCESSING" | "COMPLETED" | "FAILED" | "CANCELLED";
        readonly MoveDocuments: {
            /**
             * @description `unlink` takes them out of `folder_id`, `restore` puts them back there, `link` puts them into `to_folder_id` too, `move` takes them from `folder_id` to `to_folder_id`, `reindex` reads and indexes them again. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            readonly action: "move";
            readonly document_ids: readonly string[];
            /** @description For `unlink`, `restore` and `move`. */
            readonly folder_id: string;
            /** @description For `link` and `move`. */
            readonly to_folder_id: string;
        };
        /** @description Trimmed, not blank, at most 255 characters. */
        readonly Name: string;
        /**
         * @description What the folder is to be called. Without it as it was, with ` (2)` if that is taken.
         * @example Field reports
         */
        readonly Name2: string;
        readonly NewDocument: {
            /** @description The folder it goes into. */
            readonly folder_id: string;
            /** @description At most 255 characters. Without it the document is named after its first line. */
            readonly name?: components["schemas"]["DocumentName"] | null;
            /** @description The text, kept exactly as it is sent. An empty one is stored, and ends as `sync_failed`. */
            readonly content: string;
        };
        readonly NewFeedback: {
            readonly rating: components["schemas"]["Rating"];
            /** @description What is good or wrong about it, in a few words; at most 4,000 characters. A blank note is none. */
            readonly note?: string | null;
        };
        readonly NewFolder: {
            readonly name: components["schemas"]["Name"];
            /** @description A note for people, at most 4,000 characters. */
            readonly description?: string | null;
            /** @description The root folder that this one lies in; null for a root folder. Folders have two levels. */
            readonly parentId?: string | null;
        };
        readonly NewImport: {
            /** @description The folder that the documents go into. */
            readonly folder_id: string;
            readonly source: components["schemas"]["ImportSource"];
            /** @description Bring what has not changed, too, as a new version. Default false. */
            readonly overwrite?: boolean | null;
            /** @description Only tell what would be imported. */
            readonly dry_run?: boolean | null;
            readonly gone?: components["schemas"]["GoneSetting"] | null;
        };
        readonly NewImportSchedule: {
            /** @description The folder that the documents go into. */
            readonly folder_id: string;
            readonly source: components["schemas"]["ImportSource"];
            readonly gone?: components["schemas"]["GoneSetting"] | null;
            /** @description A cron expression of five fields in UTC, such as `0 6 * * *`, or `@daily`. A range may go over the end: `FRI-MON`. */
            readonly every: string;
        };
        readonly NewMessage: {
            /** @description The message of the user. Not blank, at most 32,000 characters. */
            readonly text: string;
            /**
             * Format: uuid
             * @description UUID that names this message within its session; the server makes one when it is absent. Sending the same id and text once more starts nothing new.
             */
            readonly requestId?: string | null;
        };
        readonly NewPrompt: {
            /** @description What people call the prompt. Trimmed, not blank, at most 255 characters. */
            readonly name: components["schemas"]["Name"];
            /** @description What the answers are asked to respect. Not blank, at most 32,000 characters. */
            readonly text: string;
            /** @description A note for people, at most 4,000 characters. */
            readonly description?: string | null;
        };
        readonly NewSettings: {
            /**
             * @description The least level that is logged.
             * @enum {string|null}
             */
            readonly "server.log_level"?: "debug" | "info" | "warn" | "error" | null;
            /** @description How long jobs that are done, or were cancelled, are kept. */
            readonly "jobs.keep_done"?: components["schemas"]["SettingDuration"];
            /** @description How long jobs that have failed for good are kept. */
            readonly "jobs.keep_failed"?: components["schemas"]["SettingDuration"];
            /** @description Nothing new is read, imported or transcribed: it is accepted, and waits until this is false again. */
            readonly "jobs.pause_intake"?: components["schemas"]["SettingFlag"];
            /** @description A plugin that keeps the server from answering for so long is named, and the server ends for its supervisor to start it again. */
            readonly "plugins.stall_limit"?: components["schemas"]["SettingDuration"];
            /** @description Names of plugins that are not set up, of built-in ones too. */
            readonly "plugins.disabled"?: components["schemas"]["SettingList"];
            /** @description Whether reading records in the console is recorded in the audit log, too. */
            readonly "audit.reads"?: components["schemas"]["SettingFlag"];
            /** @description How long entries of the audit log are kept. */
            readonly "audit.keep"?: components["schemas"]["SettingDuration"];
            /** @description How long a deleted session can be restored before it is purged. */
            readonly "chats.restore_for"?: components["schemas"]["SettingDuration"];
            /**
             * @description What answers questions: quotes from the documents, or a language model.
             * @enum {string|null}
             */
            readonly "answers.provider"?: "extractive" | "openai" | null;
            /** @description The address of the OpenAI-compatible endpoint, such as http://127.0.0.1:11434/v1. Proxies in environment variables are ignored. */
            readonly "answers.base_url"?: components["schemas"]["SettingEndpoint"];
            /** @description The API key for the endpoint, if it requires one. */
            readonly "answers.api_key"?: components["schemas"]["SettingKey"];
            /** @description The name of the model at the endpoint. */
            readonly "answers.model"?: components["schemas"]["SettingText"];
            /**
             * @description What happens when the model can't answer: the documents are quoted with a warning, or the question fails.
             * @enum {string|null}
             */
            readonly "answers.fallback"?: "extractive" | "fail" | null;
            /** @description The time limit for one answer, including retries. */
            readonly "answers.timeout"?: components["schemas"]["SettingDuration"];
            /** @description The longest pause in the middle of an answer. */
            readonly "answers.silence_timeout"?: components["schemas"]["SettingDuration"];
            /** @description How long to wait for the first word of an answer before the documents are quoted instead. */
            readonly "answers.first_word_timeout"?: components["schemas"]["SettingSomeDuration"];
            /** @description The time limit for having the model rephrase a follow-up question, or one in another language than the documents, before the search. 0s: questions are not rephrased. */
            readonly "answers.rewrite_timeout"?: components["schemas"]["SettingDuration"];
            /** @description The maximum number of passages sent to the model, as far as they fit. With fewer, the first word comes sooner. */
            readonly "answers.passages_max"?: components["schemas"]["SettingInteger"];
            /** @description How many answers the server works on at the same time; users take turns. Answers that are waiting for the model do not count. */
            readonly "answers.concurrency"?: components["schemas"]["SettingInteger"];
            /** @description How many answers may wait for the model at the same time, at most an eighth of them for one user. Set it to the number of requests that the endpoint processes at once, because an answer that is queued there uses up its time. */
            readonly "answers.model_concurrency"?: components["schemas"]["SettingInteger"];
            /** @description The size of the model's context window, in tokens. */
            readonly "answers.context_tokens"?: components["schemas"]["SettingInteger"];
            /** @description The maximum length of an answer, in tokens. */
            readonly "answers.answer_tokens"?: components["schemas"]["SettingInteger"];
            /** @description When backups are made: a cron expression in UTC, such as `0 3 * * *`. */
            readonly "backups.schedule"?: components["schemas"]["SettingText"];
            /** @description How many backups are kept, in addition to those that a newer one depends on. */
            readonly "backups.keep"?: components["schemas"]["SettingInteger"];
            /** @description How long copies made before upgrades, and databases set aside by rollbacks, are kept; at most three of each. */
            readonly "backups.keep_copies"?: components["schemas"]["SettingDuration"];
            /** @description How long the daily usage figures of each user are kept. */
            readonly "console.keep_usage"?: components["schemas"]["SettingDuration"];
            /** @description The maximum size of an uploaded file. */
            readonly "documents.upload_bytes_max"?: components["schemas"]["SettingSize"];
            /** @description How long a document can be restored after it was removed from its last folder. */
            readonly "documents.restore_for"?: components["schemas"]["SettingDuration"];
            /**
             * @description `builtin`: the encoder in the executable. `openai`: the endpoint at `base_url`, which is the default when that is set. `none`: search by words only.
             * @enum {string|null}
             */
            readonly "embeddings.provider"?: "openai" | "builtin" | "none" | null;
            /** @description The maximum number of cores used by the built-in encoder; by default half of them. */
            readonly "embeddings.threads"?: components["schemas"]["SettingInteger"];
            /** @description The address of the OpenAI-compatible endpoint, such as http://127.0.0.1:11434/v1. Proxies in environment variables are ignored. */
            readonly "embeddings.base_url"?: components["schemas"]["SettingEndpoint"];
            /** @description The API key for the endpoint, if it requires one. */
            readonly "embeddings.api_key"?: components["schemas"]["SettingKey"];
            /** @description The name of the model at the endpoint, or of one added with `dossier model add`. After a change, the old vectors are used until those of the new model are complete. */
            readonly "embeddings.model"?: components["schemas"]["SettingText"];
            /** @description The prefix that the model requires for questions: "query: " for the E5 models. After a change, all vectors are created again; the old ones are used meanwhile. */
            readonly "embeddings.query_prefix"?: components["schemas"]["SettingText"];
            /** @description The prefix that the model requires for passages: "passage: " for the E5 models. */
            readonly "embeddings.document_prefix"?: components["schemas"]["SettingText"];
            /** @description The length of vectors, for models that support shorter ones; by default the full length. */
            readonly "embeddings.dimensions"?: components["schemas"]["SettingInteger"];
            /** @description The number of passages in one request. */
            readonly "embeddings.batch_size"?: components["schemas"]["SettingInteger"];
            /** @description The time limit for one background request. */
            readonly "embeddings.timeout"?: components["schemas"]["SettingSomeDuration"];
            /** @description How long events are kept, so that a stream can be resumed; for users who have listened within this time. */
            readonly "events.keep"?: components["schemas"]["SettingDuration"];
            /** @description How many event streams a user may have open. */
            readonly "events.streams_max"?: components["schemas"]["SettingInteger"];
            /** @description The memory limit for reading one file. A file that exceeds it fails with out_of_memory. */
            readonly "extraction.memory_max"?: components["schemas"]["SettingSize"];
            /** @description The maximum number of pages of a PDF, of slides, sheets or chapters with text, or of frames of a TIFF. */
            readonly "extraction.pages_max"?: components["schemas"]["SettingInteger"];
            /** @description The maximum number of pages of one file that are read with text recognition (OCR). */
            readonly "extraction.ocr_pages_max"?: components["schemas"]["SettingInteger"];
            /** @description The time limit for text recognition on one page. */
            readonly "extraction.ocr_page_timeout"?: components["schemas"]["SettingDuration"];
            /** @description The time limit for reading one file, or for opening a PDF. */
            readonly "extraction.timeout"?: components["schemas"]["SettingDuration"];
            /** @description The additional time for each further page of a PDF. */
            readonly "extraction.page_timeout"?: components["schemas"]["SettingDuration"];
            /** @description The time limit for reading one PDF as a whole. */
            readonly "extraction.timeout_max"?: components["schemas"]["SettingDuration"];
            /** @description The maximum size of an imported archive, and of its unpacked content. */
            readonly "folder_archives.bytes_max"?: components["schemas"]["SettingSize"];
            /** @description How long the record of a finished archive import is kept. */
            readonly "folder_archives.keep_imports"?: components["schemas"]["SettingDuration"];
            /** @description The pause between two requests to the same host. */
            readonly "imports.host_delay"?: components["schemas"]["SettingDuration"];
            /** @description The time limit for fetching one file. */
            readonly "imports.timeout"?: components["schemas"]["SettingDuration"];
            /** @description How long finished runs are kept. Their documents remain. */
            readonly "imports.keep_runs"?: components["schemas"]["SettingDuration"];
            /** @description Memory for keeping parts of the index, so that a search need not read them from the database. */
            readonly "index.cache"?: components["schemas"]["SettingSize"];
            /** @description Memory for keeping vectors, when there is an embedder. At most 3 GiB are used. */
            readonly "index.vector_cache"?: components["schemas"]["SettingSize"];
            /** @description While this is true, documents get no vectors and are found by words only. Questions are still embedded. */
            readonly "index.pause_vectors"?: components["schemas"]["SettingFlag"];
            /** @description Whether agents can connect at /mcp. */
            readonly "mcp.enabled"?: components["schemas"]["SettingFlag"];
            /** @description The maximum length of a tool's answer, in tokens; the answer says when something was left out. */
            readonly "mcp.answer_tokens"?: components["schemas"]["SettingInteger"];
            /** @description The token required to read GET /metrics. */
            readonly "metrics.token"?: components["schemas"]["SettingText"];
            /** @description Networks from which GET /metrics can be read without a token. */
            readonly "metrics.networks"?: components["schemas"]["SettingList"];
            /** @description The address of the OpenID Connect provider, such as https://sso.example.com/realms/main. Without it, this sign-in is off. */
            readonly "oidc.issuer"?: components["schemas"]["SettingEndpoint"];
            /** @description The client ID of this server at the provider. */
            readonly "oidc.client_id"?: components["schemas"]["SettingText"];
            /** @description The client secret of this server at the provider; none for a public client. */
            readonly "oidc.client_secret"?: components["schemas"]["SettingText"];
            /** @description The label of the button on the sign-in page. */
            readonly "oidc.title"?: components["schemas"]["SettingText"];
            /** @description The scopes requested from the provider. */
            readonly "oidc.scopes"?: components["schemas"]["SettingList"];
            /** @description The claim with a user's roles or groups, such as groups or realm_access.roles, read at every sign-in. Without it, new users are members, and roles are assigned here. */
            readonly "oidc.role_claim"?: components["schemas"]["SettingText"];
            /** @description Values of the role claim that make a user an administrator. */
            readonly "oidc.admin_values"?: components["schemas"]["SettingList"];
            /** @description Values of the role claim that make a user a member; users with none of these or of `admin_values` can't sign in. Without any, everybody else is a member. */
            readonly "oidc.member_values"?: components["schemas"]["SettingList"];
            /** @description Email domains whose users may sign in; all if empty. */
            readonly "oidc.allowed_domains"?: components["schemas"]["SettingList"];
            /** @description Whether users whose email address was not verified by the provider are refused. */
            readonly "oidc.require_verified_email"?: components["schemas"]["SettingFlag"];
            /** @description Whether a user account is created at a person's first sign-in. */
            readonly "oidc.create_users"?: components["schemas"]["SettingFlag"];
            /**
             * @description Which existing accounts are linked to a person with the same verified email address: none, those of members, or all, including administrators.
             * @enum {string|null}
             */
            readonly "oidc.link_by_email"?: "nobody" | "members" | "everybody" | null;
            /** @description Whether signing out here also signs out at the provider, if it supports that. */
            readonly "oidc.sign_out"?: components["schemas"]["SettingFlag"];
            /** @description The time limit for one response of the provider. */
            readonly "oidc.timeout"?: components["schemas"]["SettingDuration"];
            /** @description Whether the server offers the OpenAI-compatible API at /v1. */
            readonly "openai_api.enabled"?: components["schemas"]["SettingFlag"];
            /** @description The folder for files uploaded there; created when needed. */
            readonly "openai_api.uploads_folder"?: components["schemas"]["SettingText"];
            /** @description The maximum number of folders per user, including subfolders. Unlimited if not set. */
            readonly "quotas.folders"?: components["schemas"]["SettingInteger"];
            /** @description The maximum number of documents per user. Unlimited if not set. */
            readonly "quotas.documents"?: components["schemas"]["SettingInteger"];
            /** @description The maximum number of chat sessions per user. Unlimited if not set. */
            readonly "quotas.chats"?: components["schemas"]["SettingInteger"];
            /** @description The maximum total size of a user's original files. Unlimited if not set. */
            readonly "quotas.storage"?: components["schemas"]["SettingSize"];
            /** @description Requests allowed in one window. */
            readonly "rate_limit.requests"?: components["schemas"]["SettingInteger"];
            /** @description Length of a window. */
            readonly "rate_limit.window"?: components["schemas"]["SettingSomeDuration"];
            /** @description The address of a Cohere- or Jina-compatible endpoint without /rerank, such as http://127.0.0.1:8080/v1. Without it, passages are not reranked. Proxies in environment variables are ignored. */
            readonly "rerank.base_url"?: components["schemas"]["SettingEndpoint"];
            /** @description The API key for the endpoint, if it requires one. */
            readonly "rerank.api_key"?: components["schemas"]["SettingKey"];
            /** @description The name of the model at the endpoint, if it requires one. */
            readonly "rerank.model"?: components["schemas"]["SettingText"];
            /** @description How long a search waits for the reranker before it keeps the order of its passages. */
            readonly "rerank.timeout"?: components["schemas"]["SettingDuration"];
            /** @description How many of the first passages of a search are sent to the reranker. */
            readonly "rerank.passages_max"?: components["schemas"]["SettingInteger"];
            /** @description Whether users can sign in with email and password, in addition to other ways. `dossier config set sign_in.password true` allows it again. */
            readonly "sign_in.password"?: components["schemas"]["SettingFlag"];
            /**
             * @description What transcribes recordings: an OpenAI-compatible endpoint, or a program on this machine. Captions need neither.
             * @enum {string|null}
             */
            readonly "transcription.provider"?: "none" | "openai" | "command" | null;
            /** @description The address of the OpenAI-compatible endpoint, such as http://127.0.0.1:8000/v1. */
            readonly "transcription.base_url"?: components["schemas"]["SettingEndpoint"];
            /** @description The API key for the endpoint, if it requires one. */
            readonly "transcription.api_key"?: components["schemas"]["SettingKey"];
            /** @description The name of the model at the endpoint. */
            readonly "transcription.model"?: components["schemas"]["SettingText"];
            /** @description The spoken language, such as en, for transcribers that need to know it. */
            readonly "transcription.language"?: components["schemas"]["SettingText"];
            /** @description How long finished runs are kept. Their documents remain. */
            readonly "transcription.keep_runs"?: components["schemas"]["SettingDuration"];
            /** @description The time limit for transcribing one recording. */
            readonly "transcription.timeout"?: components["schemas"]["SettingDuration"];
            /** @description How many recordings are transcribed at the same time. */
            readonly "transcription.concurrency"?: components["schemas"]["SettingInteger"];
            /** @description The delays before the second and the third attempt, varied by up to a fifth. */
            readonly "webhooks.retry_delays"?: components["schemas"]["SettingList"];
            /** @description The maximum number of webhooks per user. */
            readonly "webhooks.per_account"?: components["schemas"]["SettingInteger"];
            /** @description How long finished deliveries are kept. */
            readonly "webhooks.keep_deliveries"?: components["schemas"]["SettingDuration"];
            /** @description The product name in the headers of a delivery: X-Service-Event, X-Service-Signature. */
            readonly "webhooks.header_prefix"?: components["schemas"]["SettingText"];
            /** @description The previous product name, with which the same headers are sent as well. */
            readonly "webhooks.legacy_header_prefix"?: components["schemas"]["SettingText"];
        };
        readonly NewTranscription: {
            /** @description The folder that the transcript goes into, in place of that of the query. */
            readonly folder_id?: string | null;
            /**
             * Format: uri
             * @description Absolute http or https URL of a recording or captions on a public host, at most 2,048 characters.
             */
            readonly url: string;
        };
        readonly NewWebhook: {
            readonly event_type: components["schemas"]["WebhookEventType"];
            readonly url: components["schemas"]["WebhookUrl"];
            /** @description What it is told beside `event_type`: `document.synced`, `document.failed`, `document.deleted`, `answer.completed`, or any other event. */
            readonly events?: readonly components["schemas"]["WebhookEventType"][] | null;
        };
        readonly OwnFeedback: {
            readonly rating: components["schemas"]["Rating"];
            /** @description What is good or wrong about it, in a few words; at most 4,000 characters. A blank note is none. */
            readonly note: string | null;
            /**
             * Format: date-time
             * @description When it was first given.
             */
            readonly created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            readonly updated_at: string;
            /** @description The message that was answered. */
            readonly question: string;
            readonly outcome: components["schemas"]["AnswerOutcome"];
            /** @description What made the answer. */
            readonly model: string;
            readonly sessionId: string;
            /** @description The name of the session. */
            readonly session_name: string | null;
            readonly requestId: string;
        };
        readonly OwnFeedbackPage: {
            readonly data: readonly components["schemas"]["OwnFeedback"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        readonly Pagination: {
            /**
             * Format: int64
             * @description Items in this page.
             */
            readonly count: number;
            /**
             * Format: int64
             * @description Items in the whole list.
             */
            readonly total: number;
            /**
             * Format: int64
             * @description Size in effect.
             */
            readonly per_page: number;
            /** Format: int64 */
            readonly total_pages: number;
            /** Format: int64 */
            readonly next_page: number | null;
            /** Format: int64 */
            readonly previous_page: number | null;
        };
        /** @description Where the surroundings of the quote lie in the same version, code points; the quote's own place when they are not known. */
        readonly PassagePlace: {
            /** Format: int64 */
            readonly start: number;
            /** Format: int64 */
            readonly end: number;
        };
        readonly PolledAnswer: components["schemas"]["RunningAnswer"] | components["schemas"]["CompletedAnswer"];
        /** @description RFC 9457 problem details. */
        readonly Problem: {
            readonly type: string;
            readonly title: string;
            /** Format: int64 */
            readonly status: number;
            /** @description A sentence for a person. */
            readonly detail: string;
            readonly code: components["schemas"]["ErrorCode"];
            readonly request_id: string;
            /** @description The fields that are wrong. */
            readonly errors?: readonly components["schemas"]["FieldProblem"][];
        };
        readonly Prompt: {
            /** @description Opaque, starts with `prm_`. */
            readonly id: string;
            /** @description What people call the prompt. Trimmed, not blank, at most 255 characters. */
            readonly name: string;
            /** @description What the answers are asked to respect. Not blank, at most 32,000 characters. */
            readonly text: string;
            /** @description A note for people, at most 4,000 characters. */
            readonly description: string | null;
            /**
             * Format: date-time
             * @description When it was saved.
             */
            readonly created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            readonly updated_at: string;
        };
        readonly PromptChange: {
            /** @description What people call the prompt. Trimmed, not blank, at most 255 characters. */
            readonly name?: components["schemas"]["Name"];
            /** @description What the answers are asked to respect. Not blank, at most 32,000 characters. */
            readonly text?: string;
            /** @description A note for people, at most 4,000 characters. */
            readonly description?: string | null;
        };
        readonly PromptPage: {
            readonly data: readonly components["schemas"]["Prompt"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        /** @enum {string} */
        readonly Rating: "up" | "down";
        /** @description The stream is open: changes from now on follow. */
        readonly ReadyEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly event: "ready";
        };
        readonly ReindexDocuments: {
            /**
             * @description `unlink` takes them out of `folder_id`, `restore` puts them back there, `link` puts them into `to_folder_id` too, `move` takes them from `folder_id` to `to_folder_id`, `reindex` reads and indexes them again. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            readonly action: "reindex";
            readonly document_ids: readonly string[];
        };
        readonly RelatedPassage: {
            readonly document_id: string;
            readonly document_name: string;
            /** Format: int64 */
            readonly document_version: number;
            /** @description A folder of the scope that holds the document. */
            readonly folder_id: string;
            /** @description Exactly `content[start:end]` of that document version. */
            readonly quote: string;
            /**
             * Format: int64
             * @description First code point of the quote in the document's content.
             */
            readonly start: number;
            /**
             * Format: int64
             * @description Code point after the last one of the quote.
             */
            readonly end: number;
            readonly passage: components["schemas"]["PassagePlace"];
            /** Format: int64 */
            readonly page: number | null;
            /** Format: int64 */
            readonly page_end: number | null;
            /** @description What the document itself calls `page`, where that says more than its number: `iv` of a PDF, `Slide 4 · Risks`, `Sheet Budget`; null otherwise. */
            readonly page_label: string | null;
            /** @description Of a transcript: where in the recording the quote begins, seconds. */
            readonly time_start: number | null;
            /** @description Of a transcript: where in the recording the quote ends, seconds. */
            readonly time_end: number | null;
            readonly heading: string | null;
            /** @description 0 to 1. It orders the passages of one search, and says nothing across searches. */
            readonly score: number;
            /** @description The quote was compared with the stored text when the answer was made. */
            readonly verified: boolean;
            /** @description The passage no longer exists. */
            readonly stale: boolean;
            /** @description Where the document is fetched. */
            readonly url: string;
        };
        /** @description What came after the id that was given is not known any more: read your lists again. */
        readonly ResetEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly event: "reset";
        };
        /** @description Still running: poll again shortly. */
        readonly RunningAnswer: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly status: "PENDING" | "PROCESSING";
            /**
             * Format: uuid
             * @description UUID of the request, as it was sent or made by the server.
             */
            readonly requestId: string;
        };
        /** @enum {string} */
        readonly RunningStatus: "pending" | "running";
        readonly SearchQuery: {
            /** @description What to look for: a question or words, in any language. A phrase in quotes must stand in the passage word for word, unless the query ends with a question mark. Not blank, at most 32,000 characters. */
            readonly query: string;
            /** @description Folders to search, subfolders included; at most 200. Absent: every folder of the caller. An empty list selects no folder and finds nothing. */
            readonly folder_ids?: readonly string[] | null;
            /** @description Only these documents of those folders; at most 200. An empty list finds nothing. */
            readonly document_ids?: readonly string[] | null;
            /**
             * Format: int64
             * @description Passages to return, at least 1; 10 unless given, above 50 means 50.
             */
            readonly limit?: number | null;
        };
        readonly SearchResult: {
            readonly data: readonly components["schemas"]["FoundPassage"][];
        };
        /** @description One server-sent event. Between events there may be comments. */
        readonly SentStreamEvent: {
            /** @description For `Last-Event-ID`. */
            readonly id: string;
            /** @description As in `data`. */
            readonly event: string;
            /** @description JSON, in one line. */
            readonly data: string;
        };
        readonly Setting: {
            /** @description `section.key`. */
            readonly setting: string;
            readonly description: string;
            /**
             * @description A duration reads `30s` or `30d`, a size `64MiB`.
             * @enum {string}
             */
            readonly kind: "text" | "integer" | "number" | "boolean" | "choice" | "duration" | "size" | "list" | "secret";
            /** @description What a choice may be. */
            readonly choices: readonly string[] | null;
            readonly minimum: number | null;
            readonly maximum: number | null;
            /** @description In force, as people write it; `[secret]` for a secret. */
            readonly value: components["schemas"]["SettingValue"] | null;
            /** @description Where the value in force comes from: `default`, `stored`, `dossier.toml`, a variable of the environment or an option of the command line. */
            readonly origin: string;
            readonly default: components["schemas"]["SettingValue"] | null;
            /** @description What is stored, whether it wins or not. */
            readonly stored: components["schemas"]["SettingValue"] | null;
            /** @description Something is stored, and `origin` wins over it. */
            readonly overruled: boolean;
            /**
             * @description When a change takes effect; `outside`: it can't be stored, only whoever starts the server sets it.
             * @enum {string}
             */
            readonly changes: "now" | "at start" | "outside";
            /** @description Values of `provider` in the same section with which it is of use; null: with any. */
            readonly providers: readonly string[] | null;
            /** @description Another value takes effect at the next start. */
            readonly restart_needed: boolean;
            /** @description Why what is stored is not used. */
            readonly problem: string | null;
        };
        /** @description `500ms`, `30s`, `5m`, `2h` or `30d`. */
        readonly SettingDuration: string | null;
        readonly SettingEndpoint: string | null;
        readonly SettingFlag: boolean | ("true" | "false") | null;
        /** @description A number, or the same as a text. */
        readonly SettingInteger: number | string | null;
        readonly SettingKey: string | null;
        /** @description A list of texts, or one text with commas between them. */
        readonly SettingList: readonly string[] | string | null;
        /** @description `512KiB`, `64MiB` or `2GiB`; a number is bytes. */
        readonly SettingSize: string | number | null;
        /** @description `500ms`, `30s`, `5m`, `2h` or `30d`. */
        readonly SettingSomeDuration: string | null;
        readonly SettingText: string | null;
        readonly SettingValue: string | number | boolean | readonly string[];
        readonly SettingsTrial: {
            readonly section: string;
            readonly status: components["schemas"]["CheckStatus"];
            /** @description What came of it, in sentences. */
            readonly detail: string;
            /** @description What to do about it. */
            readonly fix: string | null;
            /** @description The setting to look at. */
            readonly setting: string | null;
            /** Format: int64 */
            readonly duration_ms: number;
        };
        /** @description A sitemap, packed or not, or an index of sitemaps. */
        readonly SitemapSource: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly type: "sitemap";
            readonly url: components["schemas"]["WebAddress"];
        };
        /** @description The `data` of one event of the stream, which repeats its name as `event`. */
        readonly StreamEvent: components["schemas"]["ReadyEvent"] | components["schemas"]["ResetEvent"] | components["schemas"]["ClosedEvent"] | components["schemas"]["DocumentCreatedEvent"] | components["schemas"]["DocumentSyncedEvent"] | components["schemas"]["DocumentFailedEvent"] | components["schemas"]["DocumentChangedEvent"] | components["schemas"]["DocumentDeletedEvent"] | components["schemas"]["FolderCreatedEvent"] | components["schemas"]["FolderChangedEvent"] | components["schemas"]["FolderDeletedEvent"] | components["schemas"]["ChatCreatedEvent"] | components["schemas"]["ChatChangedEvent"] | components["schemas"]["ChatDeletedEvent"] | components["schemas"]["AnswerStartedEvent"] | components["schemas"]["AnswerCompletedEvent"] | components["schemas"]["AnswerFailedEvent"] | components["schemas"]["AnswerCancelledEvent"] | components["schemas"]["ImportChangedEvent"] | components["schemas"]["ImportFinishedEvent"] | components["schemas"]["ImportCancelledEvent"] | components["schemas"]["TranscriptionChangedEvent"] | components["schemas"]["TranscriptionCompletedEvent"] | components["schemas"]["TranscriptionFailedEvent"] | components["schemas"]["TranscriptionCancelledEvent"];
        /**
         * @description An event.
         * @enum {string}
         */
        readonly StreamEventType: "document.created" | "document.synced" | "document.failed" | "document.changed" | "document.deleted" | "folder.created" | "folder.changed" | "folder.deleted" | "chat.created" | "chat.changed" | "chat.deleted" | "answer.started" | "answer.completed" | "answer.failed" | "answer.cancelled" | "import.changed" | "import.finished" | "import.cancelled" | "transcription.changed" | "transcription.completed" | "transcription.failed" | "transcription.cancelled";
        readonly SuggestedQuestion: {
            /** @description The question, in the language of the document if possible. */
            readonly text: string;
            readonly document_id: string;
            readonly document_name: string;
            /** @description What it was made of, as it stands in the document. */
            readonly heading: string;
        };
        readonly SuggestedQuestions: {
            readonly data: readonly components["schemas"]["SuggestedQuestion"][];
        };
        readonly Transcript: {
            readonly language: string | null;
            readonly duration_s: number | null;
            /** @description What the document says, as it was made. */
            readonly text: string;
            readonly segments: readonly components["schemas"]["TranscriptSegment"][];
        };
        readonly TranscriptSegment: {
            /** @description Seconds into the recording. */
            readonly start: number;
            readonly end: number;
            readonly text: string;
            readonly speaker: string | null;
        };
        readonly Transcription: {
            /** @description Opaque, starts with `trn_`. */
            readonly id: string;
            /**
             * @description `completed`: the document is made, and is being indexed.
             * @enum {string}
             */
            readonly status: "pending" | "running" | "completed" | "failed" | "cancelled";
            /** @description The folder that the document goes into. */
            readonly folder_id: string;
            /** @description What is transcribed: the document's name, or, while there is none, that of the recording. Null once the document was deleted for good. */
            readonly name: string | null;
            /** @description Why the run failed. */
            readonly error: components["schemas"]["Failure"] | null;
            /**
             * Format: date-time
             * @description When the run was asked for.
             */
            readonly created_at: string;
            /**
             * Format: date-time
             * @description When work on it began.
             */
            readonly started_at: string | null;
            /**
             * Format: date-time
             * @description When it ended.
             */
            readonly finished_at: string | null;
            /** @description The transcript; null before it is made, and once it was deleted for good. */
            readonly document_id: string | null;
            /** @description Always null: a run has one result. */
            readonly result_history_id: string | null;
            /** @description As far as the transcriber tells. */
            readonly progress: number;
            /** @description Length of the recording, seconds. */
            readonly duration_s: number | null;
            /** @description The language that is spoken, as far as the transcriber tells: `en`. */
            readonly language: string | null;
        };
        /** @description A transcription was cancelled. */
        readonly TranscriptionCancelledEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly event: "transcription.cancelled";
            /** @constant */
            readonly status: "cancelled";
            /** @description The id of the transcription. */
            readonly processing_run_id: string;
            readonly folder_id: string;
            readonly progress: number;
        };
        /** @description A transcription has begun, or goes on. Of several, only the last may be told. */
        readonly TranscriptionChangedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly event: "transcription.changed";
            readonly status: components["schemas"]["RunningStatus"];
            /** @description The id of the transcription. */
            readonly processing_run_id: string;
            readonly folder_id: string;
            readonly progress: number;
        };
        /** @description A transcription is completed, and its document made. */
        readonly TranscriptionCompletedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly event: "transcription.completed";
            /** @description The id of the transcription. */
            readonly processing_run_id: string;
            readonly result_history_id: string | null;
            /** @constant */
            readonly status: "completed";
        };
        /** @description A transcription has failed for good. */
        readonly TranscriptionFailedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly event: "transcription.failed";
            /** @constant */
            readonly status: "failed";
            /** @description The id of the transcription. */
            readonly processing_run_id: string;
            readonly folder_id: string;
            readonly progress: number;
            readonly error: components["schemas"]["Failure"];
        };
        readonly TranscriptionPage: {
            readonly data: readonly components["schemas"]["Transcription"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        readonly TriedSection: {
            readonly section: string;
            readonly title: string;
            /**
             * @description Where the console shows it, not as a model.
             * @constant
             */
            readonly group?: "sign_in";
        };
        /** @enum {string} */
        readonly UnfinishedStatus: "PENDING" | "PROCESSING";
        readonly UnlinkOrRestoreDocuments: {
            /**
             * @description `unlink` takes them out of `folder_id`, `restore` puts them back there, `link` puts them into `to_folder_id` too, `move` takes them from `folder_id` to `to_folder_id`, `reindex` reads and indexes them again. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            readonly action: "unlink" | "restore";
            readonly document_ids: readonly string[];
            /** @description For `unlink`, `restore` and `move`. */
            readonly folder_id: string;
        };
        /** @description A list of web addresses. */
        readonly UrlsSource: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly type: "urls";
            /** @description Absolute http or https addresses. What is none is an item that fails, beside one that is. */
            readonly urls: readonly string[];
        };
        /**
         * @description Of the version that answers. `pending`: its vectors are being made in the background, and words find it; `ready`: it is found by its meaning too; `none`: no version answers yet, or there is no embedder.
         * @enum {string}
         */
        readonly VectorsState: "none" | "pending" | "ready";
        /**
         * Format: uri
         * @description Where it lies.
         */
        readonly WebAddress: string;
        readonly Webhook: {
            /** @description Opaque, starts with `whk_`. */
            readonly id: string;
            /** @description `transcription.completed` or `import.finished`; plugins may add further ones. Those of documents and answers can be registered for with a list of `events` only. */
            readonly event_type: string;
            /**
             * Format: uri
             * @description Absolute http or https URL on a public host, at most 2,048 characters.
             */
            readonly url: string;
            /** @description All that it is told, `event_type` first; left out when it was given no list. */
            readonly events?: readonly string[];
            /**
             * Format: date-time
             * @description When it was registered.
             */
            readonly created_at: string;
            readonly last_delivery: components["schemas"]["LastDelivery"] | null;
        };
        /**
         * @description The event.
         * @enum {string}
         */
        readonly WebhookEventType: "document.synced" | "document.failed" | "document.deleted" | "answer.completed" | "import.finished" | "transcription.completed";
        /**
         * Format: uri
         * @description Absolute http or https URL on a public host, at most 2,048 characters.
         */
        readonly WebhookUrl: string;
        readonly WebhookWithSecret: {
            /** @description Opaque, starts with `whk_`. */
            readonly id: string;
            /** @description `transcription.completed` or `import.finished`; plugins may add further ones. Those of documents and answers can be registered for with a list of `events` only. */
            readonly event_type: string;
            /**
             * Format: uri
             * @description Absolute http or https URL on a public host, at most 2,048 characters.
             */
            readonly url: string;
            /** @description All that it is told, `event_type` first; left out when it was given no list. */
            readonly events?: readonly string[];
            /**
             * Format: date-time
             * @description When it was registered.
             */
            readonly created_at: string;
            readonly last_delivery: components["schemas"]["LastDelivery"] | null;
            /** @description Keys the signatures, as it stands here. It is shown this once. */
            readonly secret: string;
        };
        /** @description A ZIP archive: each of its files. */
        readonly ZipSource: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly type: "zip";
            readonly url: components["schemas"]["WebAddress"];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type Answer = components['schemas']['Answer'];
export type AnswerCancelledEvent = components['schemas']['AnswerCancelledEvent'];
export type AnswerCompletedEvent = components['schemas']['AnswerCompletedEvent'];
export type AnswerDelta = components['schemas']['AnswerDelta'];
export type AnswerEvent = components['schemas']['AnswerEvent'];
export type AnswerFailedEvent = components['schemas']['AnswerFailedEvent'];
export type AnswerOutcome = components['schemas']['AnswerOutcome'];
export type AnswerStartedEvent = components['schemas']['AnswerStartedEvent'];
export type AnswerStatus = components['schemas']['AnswerStatus'];
export type AnswerTimings = components['schemas']['AnswerTimings'];
export type AnswerUsage = components['schemas']['AnswerUsage'];
export type Answering = components['schemas']['Answering'];
export type AuditEntry = components['schemas']['AuditEntry'];
export type AuditEntryPage = components['schemas']['AuditEntryPage'];
export type AuditOutcome = components['schemas']['AuditOutcome'];
export type Chat = components['schemas']['Chat'];
export type ChatChangedEvent = components['schemas']['ChatChangedEvent'];
export type ChatCreatedEvent = components['schemas']['ChatCreatedEvent'];
export type ChatDeletedEvent = components['schemas']['ChatDeletedEvent'];
export type ChatInput = components['schemas']['ChatInput'];
export type ChatName = components['schemas']['ChatName'];
export type ChatPage = components['schemas']['ChatPage'];
export type CheckStatus = components['schemas']['CheckStatus'];
export type Citation = components['schemas']['Citation'];
export type ClosedEvent = components['schemas']['ClosedEvent'];
export type CompletedAnswer = components['schemas']['CompletedAnswer'];
export type Delivery = components['schemas']['Delivery'];
export type DeliveryAttempt = components['schemas']['DeliveryAttempt'];
export type DeliveryPage = components['schemas']['DeliveryPage'];
export type DeliveryStatus = components['schemas']['DeliveryStatus'];
export type DirectorySource = components['schemas']['DirectorySource'];
export type Document = components['schemas']['Document'];
export type DocumentBatch = components['schemas']['DocumentBatch'];
export type DocumentBatchProblem = components['schemas']['DocumentBatchProblem'];
export type DocumentBatchResult = components['schemas']['DocumentBatchResult'];
export type DocumentChange = components['schemas']['DocumentChange'];
export type DocumentChangedEvent = components['schemas']['DocumentChangedEvent'];
export type DocumentCreatedEvent = components['schemas']['DocumentCreatedEvent'];
export type DocumentDeletedEvent = components['schemas']['DocumentDeletedEvent'];
export type DocumentError = components['schemas']['DocumentError'];
export type DocumentErrorCode = components['schemas']['DocumentErrorCode'];
export type DocumentFailedEvent = components['schemas']['DocumentFailedEvent'];
export type DocumentIds = components['schemas']['DocumentIds'];
export type DocumentLink = components['schemas']['DocumentLink'];
export type DocumentName = components['schemas']['DocumentName'];
export type DocumentName2 = components['schemas']['DocumentName2'];
export type DocumentName3 = components['schemas']['DocumentName3'];
export type DocumentOrigin = components['schemas']['DocumentOrigin'];
export type DocumentPage = components['schemas']['DocumentPage'];
export type DocumentSort = components['schemas']['DocumentSort'];
export type DocumentSource = components['schemas']['DocumentSource'];
export type DocumentStatus = components['schemas']['DocumentStatus'];
export type DocumentSyncedEvent = components['schemas']['DocumentSyncedEvent'];
export type DocumentText = components['schemas']['DocumentText'];
export type DocumentWarning = components['schemas']['DocumentWarning'];
export type DocumentWithContent = components['schemas']['DocumentWithContent'];
export type ErrorCode = components['schemas']['ErrorCode'];
export type Failure = components['schemas']['Failure'];
export type FeedSource = components['schemas']['FeedSource'];
export type Feedback = components['schemas']['Feedback'];
export type FeedbackOfUser = components['schemas']['FeedbackOfUser'];
export type FeedbackOfUserPage = components['schemas']['FeedbackOfUserPage'];
export type FieldProblem = components['schemas']['FieldProblem'];
export type FileType = components['schemas']['FileType'];
export type Folder = components['schemas']['Folder'];
export type FolderChange = components['schemas']['FolderChange'];
export type FolderChangedEvent = components['schemas']['FolderChangedEvent'];
export type FolderCreatedEvent = components['schemas']['FolderCreatedEvent'];
export type FolderDeletedEvent = components['schemas']['FolderDeletedEvent'];
export type FolderImport = components['schemas']['FolderImport'];
export type FolderImportCounts = components['schemas']['FolderImportCounts'];
export type FolderImportId = components['schemas']['FolderImportId'];
export type FolderImportIdPage = components['schemas']['FolderImportIdPage'];
export type FolderImportLeftOut = components['schemas']['FolderImportLeftOut'];
export type FolderImportPage = components['schemas']['FolderImportPage'];
export type FolderPage = components['schemas']['FolderPage'];
export type FolderStatusCounts = components['schemas']['FolderStatusCounts'];
export type FoundPassage = components['schemas']['FoundPassage'];
export type GivenSource = components['schemas']['GivenSource'];
export type GoneSetting = components['schemas']['GoneSetting'];
export type Import = components['schemas']['Import'];
export type ImportCancelledEvent = components['schemas']['ImportCancelledEvent'];
export type ImportChangedEvent = components['schemas']['ImportChangedEvent'];
export type ImportDirectories = components['schemas']['ImportDirectories'];
export type ImportFinishedEvent = components['schemas']['ImportFinishedEvent'];
export type ImportItem = components['schemas']['ImportItem'];
export type ImportItemPage = components['schemas']['ImportItemPage'];
export type ImportItemStatus = components['schemas']['ImportItemStatus'];
export type ImportPage = components['schemas']['ImportPage'];
export type ImportPreview = components['schemas']['ImportPreview'];
export type ImportPreviewItem = components['schemas']['ImportPreviewItem'];
export type ImportSchedule = components['schemas']['ImportSchedule'];
export type ImportSchedulePage = components['schemas']['ImportSchedulePage'];
export type ImportSource = components['schemas']['ImportSource'];
export type ImportStatus = components['schemas']['ImportStatus'];
export type Indexing = components['schemas']['Indexing'];
export type LastDelivery = components['schemas']['LastDelivery'];
export type LinkDocuments = components['schemas']['LinkDocuments'];
export type Message = components['schemas']['Message'];
export type MessagePage = components['schemas']['MessagePage'];
export type MessageState = components['schemas']['MessageState'];
export type MessageStatus = components['schemas']['MessageStatus'];
export type MoveDocuments = components['schemas']['MoveDocuments'];
export type Name = components['schemas']['Name'];
export type Name2 = components['schemas']['Name2'];
export type NewDocument = components['schemas']['NewDocument'];
export type NewFeedback = components['schemas']['NewFeedback'];
export type NewFolder = components['schemas']['NewFolder'];
export type NewImport = components['schemas']['NewImport'];
export type NewImportSchedule = components['schemas']['NewImportSchedule'];
export type NewMessage = components['schemas']['NewMessage'];
export type NewPrompt = components['schemas']['NewPrompt'];
export type NewSettings = components['schemas']['NewSettings'];
export type NewTranscription = components['schemas']['NewTranscription'];
export type NewWebhook = components['schemas']['NewWebhook'];
export type OwnFeedback = components['schemas']['OwnFeedback'];
export type OwnFeedbackPage = components['schemas']['OwnFeedbackPage'];
export type Pagination = components['schemas']['Pagination'];
export type PassagePlace = components['schemas']['PassagePlace'];
export type PolledAnswer = components['schemas']['PolledAnswer'];
export type Problem = components['schemas']['Problem'];
export type Prompt = components['schemas']['Prompt'];
export type PromptChange = components['schemas']['PromptChange'];
export type PromptPage = components['schemas']['PromptPage'];
export type Rating = components['schemas']['Rating'];
export type ReadyEvent = components['schemas']['ReadyEvent'];
export type ReindexDocuments = components['schemas']['ReindexDocuments'];
export type RelatedPassage = components['schemas']['RelatedPassage'];
export type ResetEvent = components['schemas']['ResetEvent'];
export type RunningAnswer = components['schemas']['RunningAnswer'];
export type RunningStatus = components['schemas']['RunningStatus'];
export type SearchQuery = components['schemas']['SearchQuery'];
export type SearchResult = components['schemas']['SearchResult'];
export type SentStreamEvent = components['schemas']['SentStreamEvent'];
export type Setting = components['schemas']['Setting'];
export type SettingDuration = components['schemas']['SettingDuration'];
export type SettingEndpoint = components['schemas']['SettingEndpoint'];
export type SettingFlag = components['schemas']['SettingFlag'];
export type SettingInteger = components['schemas']['SettingInteger'];
export type SettingKey = components['schemas']['SettingKey'];
export type SettingList = components['schemas']['SettingList'];
export type SettingSize = components['schemas']['SettingSize'];
export type SettingSomeDuration = components['schemas']['SettingSomeDuration'];
export type SettingText = components['schemas']['SettingText'];
export type SettingValue = components['schemas']['SettingValue'];
export type SettingsTrial = components['schemas']['SettingsTrial'];
export type SitemapSource = components['schemas']['SitemapSource'];
export type StreamEvent = components['schemas']['StreamEvent'];
export type StreamEventType = components['schemas']['StreamEventType'];
export type SuggestedQuestion = components['schemas']['SuggestedQuestion'];
export type SuggestedQuestions = components['schemas']['SuggestedQuestions'];
export type Transcript = components['schemas']['Transcript'];
export type TranscriptSegment = components['schemas']['TranscriptSegment'];
export type Transcription = components['schemas']['Transcription'];
export type TranscriptionCancelledEvent = components['schemas']['TranscriptionCancelledEvent'];
export type TranscriptionChangedEvent = components['schemas']['TranscriptionChangedEvent'];
export type TranscriptionCompletedEvent = components['schemas']['TranscriptionCompletedEvent'];
export type TranscriptionFailedEvent = components['schemas']['TranscriptionFailedEvent'];
export type TranscriptionPage = components['schemas']['TranscriptionPage'];
export type TriedSection = components['schemas']['TriedSection'];
export type UnfinishedStatus = components['schemas']['UnfinishedStatus'];
export type UnlinkOrRestoreDocuments = components['schemas']['UnlinkOrRestoreDocuments'];
export type UrlsSource = components['schemas']['UrlsSource'];
export type VectorsState = components['schemas']['VectorsState'];
export type WebAddress = components['schemas']['WebAddress'];
export type Webhook = components['schemas']['Webhook'];
export type WebhookEventType = components['schemas']['WebhookEventType'];
export type WebhookUrl = components['schemas']['WebhookUrl'];
export type WebhookWithSecret = components['schemas']['WebhookWithSecret'];
export type ZipSource = components['schemas']['ZipSource'];
export type $defs = Record<string, never>;
export interface operations {
    readonly getOpenApi: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The OpenAPI 3.1 document. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly openapi: string;
                    } & {
                        readonly [key: string]: unknown;
                    };
                };
            };
        };
    };
    readonly deleteUser: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: userId.
                 * @example usr_01KAJ2Z9Q4W7N8X5R3T6V1Y0BC
                 */
                readonly userId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The user is deleted. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly listAuditEntries: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description 1-based page number.
                 * @example 1
                 */
                readonly page?: number;
                /**
                 * @description Items per page; above 200 means 200.
                 * @example 50
                 */
                readonly per_page?: number;
                /**
                 * @description A user's id, or their email then.
                 * @example ada@example.com
                 */
                readonly actor?: string;
                /**
                 * @description Such as `deleteFolder`.
                 * @example deleteFolder
                 */
                readonly action?: string;
                /**
                 * @description An id.
                 * @example fld_01KAJ2Z9Q4W7N8X5R3T6V1Y0BC
                 */
                readonly record?: string;
                /**
                 * @description outcome.
                 * @example done
                 */
                readonly outcome?: components["schemas"]["AuditOutcome"];
                /**
                 * @description From this time on (RFC 3339).
                 * @example 2026-11-21T00:00:00Z
                 */
                readonly since?: string;
                /**
                 * @description Before this time (RFC 3339).
                 * @example 2026-11-22T00:00:00Z
                 */
                readonly until?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of entries. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AuditEntryPage"];
                };
            };
        };
    };
    readonly exportAuditEntries: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description A user's id, or their email then.
                 * @example ada@example.com
                 */
                readonly actor?: string;
                /**
                 * @description Such as `deleteFolder`.
                 * @example deleteFolder
                 */
                readonly action?: string;
                /**
                 * @description An id.
                 * @example fld_01KAJ2Z9Q4W7N8X5R3T6V1Y0BC
                 */
                readonly record?: string;
                /**
                 * @description outcome.
                 * @example done
                 */
                readonly outcome?: components["schemas"]["AuditOutcome"];
                /**
                 * @description From this time on (RFC 3339).
                 * @example 2026-11-21T00:00:00Z
                 */
                readonly since?: string;
                /**
                 * @description Before this time (RFC 3339).
                 * @example 2026-11-22T00:00:00Z
                 */
                readonly until?: string;
                /**
                 * @description Default: csv.
                 * @example csv
                 */
                readonly format?: "csv" | "json";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description CSV with a line of titles, or a JSON array of entries. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/csv": string;
                    readonly "application/json": readonly components["schemas"]["AuditEntry"][];
                };
            };
        };
    };
    readonly listFolders: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description 1-based page number.
                 * @example 1
                 */
                readonly page?: number;
                /**
                 * @description Items per page; above 200 means 200.
                 * @example 50
                 */
                readonly per_page?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of folders. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["FolderPage"];
                };
            };
        };
    };
    readonly createFolder: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewFolder"];
            };
        };
        readonly responses: {
            /** @description The new folder. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Folder"];
                };
            };
        };
    };
    readonly getFolder: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: folderId.
                 * @example fld_01J9ZK3V6W8Q2T4Y5N7B1C0DEF
                 */
                readonly folderId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The folder. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Folder"];
                };
            };
        };
    };
    readonly updateFolder: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: folderId.
                 * @example fld_01J9ZK3V6W8Q2T4Y5N7B1C0DEF
                 */
                readonly folderId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["FolderChange"];
            };
        };
        readonly responses: {
            /** @description The folder after the change. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Folder"];
                };
            };
        };
    };
    readonly deleteFolder: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: folderId.
                 * @example fld_01J9ZK3V6W8Q2T4Y5N7B1C0DEF
                 */
                readonly folderId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is gone. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly listPrompts: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description 1-based page number.
                 * @example 1
                 */
                readonly page?: number;
                /**
                 * @description Items per page; above 200 means 200.
                 * @example 50
                 */
                readonly per_page?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of prompts. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PromptPage"];
                };
            };
        };
    };
    readonly createPrompt: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewPrompt"];
            };
        };
        readonly responses: {
            /** @description The saved prompt. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Prompt"];
                };
            };
        };
    };
    readonly getPrompt: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: promptId.
                 * @example prm_01J9ZK3V6W8Q2T4Y5N7B1C0DEF
                 */
                readonly promptId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The prompt. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Prompt"];
                };
            };
        };
    };
    readonly updatePrompt: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: promptId.
                 * @example prm_01J9ZK3V6W8Q2T4Y5N7B1C0DEF
                 */
                readonly promptId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["PromptChange"];
            };
        };
        readonly responses: {
            /** @description The prompt after the change. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Prompt"];
                };
            };
        };
    };
    readonly deletePrompt: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: promptId.
                 * @example prm_01J9ZK3V6W8Q2T4Y5N7B1C0DEF
                 */
                readonly promptId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is gone. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly listDocuments: {
        readonly parameters: {
            readonly query: {
                /**
                 * @description The folder.
                 * @example fld_01J9ZK3V6W8Q2T4Y5N7B1C0DEF
                 */
                readonly folder_id: string;
                /**
                 * @description `syncing`: the newest version is being indexed; `synced`: it answers; `sync_failed`: it could not be indexed, see `error`.
                 * @example syncing
                 */
                readonly status?: components["schemas"]["DocumentStatus"];
                /**
                 * @description Told by the media type; `text` is text of every kind, Markdown and code too.
                 * @example pdf
                 */
                readonly type?: components["schemas"]["FileType"];
                /**
                 * @description Only documents whose name contains this, in any case.
                 * @example survey
                 */
                readonly name?: string;
                /**
                 * @description With `true`: the documents that were taken out of the folder and can be restored.
                 * @example true
                 */
                readonly deleted?: boolean;
                /**
                 * @description Those that are alike come newest first. `name`: numbers in names count.
                 * @example created
                 */
                readonly sort?: components["schemas"]["DocumentSort"];
                /**
                 * @description Default: `desc` for `created`, `updated` and `size`, else `asc`.
                 * @example asc
                 */
                readonly order?: "asc" | "desc";
                /**
                 * @description 1-based page number.
                 * @example 1
                 */
                readonly page?: number;
                /**
                 * @description Items per page; above 200 means 200.
                 * @example 50
                 */
                readonly per_page?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of documents. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DocumentPage"];
                };
            };
        };
    };
    readonly createDocument: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewDocument"];
            };
        };
        readonly responses: {
            /** @description The document, not yet indexed. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Document"];
                };
            };
        };
    };
    readonly uploadDocument: {
        readonly parameters: {
            readonly query: {
                /**
                 * @description The folder.
                 * @example fld_01J9ZK3V6W8Q2T4Y5N7B1C0DEF
                 */
                readonly folder_id: string;
                /**
                 * @description Replace the newest document of that name.
                 * @example false
                 */
                readonly overwrite?: boolean;
                /**
                 * @description What it is to be called, instead of the file's name.
                 * @example 2026/survey.pdf
                 */
                readonly name?: components["schemas"]["DocumentName2"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "multipart/form-data": {
                    /**
                     * Format: binary
                     * @description The file. Its file name is required; its media type is only a hint.
                     */
                    readonly file: string;
                };
            };
        };
        readonly responses: {
            /** @description The document it replaced, not yet indexed. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Document"];
                };
            };
            /** @description The new document, not yet indexed. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Document"];
                };
            };
        };
    };
    readonly getDocument: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description With `false`, leaves the text out.
                 * @example true
                 */
                readonly content?: boolean;
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: documentId.
                 * @example doc_01J9ZK3V6W8Q2T4Y5N7B1C0DEF
                 */
                readonly documentId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The document with its text. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DocumentWithContent"];
                };
            };
        };
    };
    readonly unlinkDocument: {
        readonly parameters: {
            readonly query: {
                /**
                 * @description The folder.
                 * @example fld_01J9ZK3V6W8Q2T4Y5N7B1C0DEF
                 */
                readonly folder_id: string;
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: documentId.
                 * @example doc_01J9ZK3V6W8Q2T4Y5N7B1C0DEF
                 */
                readonly documentId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is out of the folder. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly renameDocument: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: documentId.
                 * @example doc_01J9ZK3V6W8Q2T4Y5N7B1C0DEF
                 */
                readonly documentId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["DocumentChange"];
            };
        };
        readonly responses: {
            /** @description The document under its new name. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Document"];
                };
            };
        };
    };
    readonly readDocumentText: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description The first code point; that of the page, or 0, when absent.
                 * @example 0
                 */
                readonly start?: number;
                /**
                 * @description Code points at most; above 100000 means 100000.
                 * @example 20000
                 */
                readonly length?: number;
                /**
                 * @description Read from the beginning of this page, slide or sheet.
                 * @example 1
                 */
                readonly page?: number;
                /**
                 * @description … and to the end of this one; the same page when absent.
                 * @example 1
                 */
                readonly page_end?: number;
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: documentId.
                 * @example doc_01J9ZK3V6W8Q2T4Y5N7B1C0DEF
                 */
                readonly documentId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The part. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DocumentText"];
                };
            };
        };
    };
    readonly downloadDocument: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: documentId.
                 * @example doc_01J9ZK3V6W8Q2T4Y5N7B1C0DEF
                 */
                readonly documentId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The bytes. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/octet-stream": string;
                    readonly "*/*": string;
                };
            };
            /** @description The bytes of the range. */
            readonly 206: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/octet-stream": string;
                    readonly "*/*": string;
                };
            };
        };
    };
    readonly reindexDocument: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: documentId.
                 * @example doc_01J9ZK3V6W8Q2T4Y5N7B1C0DEF
                 */
                readonly documentId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The document, about to be indexed. */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Document"];
                };
            };
        };
    };
    readonly linkDocument: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: documentId.
                 * @example doc_01J9ZK3V6W8Q2T4Y5N7B1C0DEF
                 */
                readonly documentId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["DocumentLink"];
            };
        };
        readonly responses: {
            /** @description The document, in one more folder. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Document"];
                };
            };
        };
    };
    readonly restoreDocument: {
        readonly parameters: {
            readonly query: {
                /**
                 * @description The folder.
                 * @example fld_01J9ZK3V6W8Q2T4Y5N7B1C0DEF
                 */
                readonly folder_id: string;
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: documentId.
                 * @example doc_01J9ZK3V6W8Q2T4Y5N7B1C0DEF
                 */
                readonly documentId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The document, back in the folder. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Document"];
                };
            };
        };
    };
    readonly changeDocuments: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["DocumentBatch"];
            };
        };
        readonly responses: {
            /** @description What was done, and what was not. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DocumentBatchResult"];
                };
            };
        };
    };
    readonly listDocumentIds: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description `syncing`: the newest version is being indexed; `synced`: it answers; `sync_failed`: it could not be indexed, see `error`.
                 * @example syncing
                 */
                readonly status?: components["schemas"]["DocumentStatus"];
                /**
                 * @description Told by the media type; `text` is text of every kind, Markdown and code too.
                 * @example pdf
                 */
                readonly type?: components["schemas"]["FileType"];
                /**
                 * @description Only documents whose name contains this, in any case.
                 * @example survey
                 */
                readonly name?: string;
                /**
                 * @description The last id of the answer before: the list goes on after it.
                 * @example doc_01J9ZK3V6W8Q2T4Y5N7B1C0DEF
                 */
                readonly after?: string;
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: folderId.
                 * @example fld_01J9ZK3V6W8Q2T4Y5N7B1C0DEF
                 */
                readonly folderId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The ids. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DocumentIds"];
                };
            };
        };
    };
    readonly downloadDocuments: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description `syncing`: the newest version is being indexed; `synced`: it answers; `sync_failed`: it could not be indexed, see `error`.
                 * @example syncing
                 */
                readonly status?: components["schemas"]["DocumentStatus"];
                /**
                 * @description Told by the media type; `text` is text of every kind, Markdown and code too.
                 * @example pdf
                 */
                readonly type?: components["schemas"]["FileType"];
                /**
                 * @description Only documents whose name contains this, in any case.
                 * @example survey
                 */
                readonly name?: string;
                /**
                 * @description Only these, at most 200, separated by commas.
                 * @example [
                 *       "doc_01J9ZK3V6W8Q2T4Y5N7B1C0DEF"
                 *     ]
                 */
                readonly document_ids?: readonly string[];
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: folderId.
                 * @example fld_01J9ZK3V6W8Q2T4Y5N7B1C0DEF
                 */
                readonly folderId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The archive. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/zip": string;
                };
            };
        };
    };
    readonly search: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["SearchQuery"];
            };
        };
        readonly responses: {
            /** @description The passages found; empty when nothing matches. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SearchResult"];
                };
            };
        };
    };
    readonly listChats: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description 1-based page number.
                 * @example 1
                 */
                readonly page?: number;
                /**
                 * @description Items per page; above 200 means 200.
                 * @example 50
                 */
                readonly per_page?: number;
                /**
                 * @description `true` lists the deleted sessions instead: those that can be restored.
                 * @example false
                 */
                readonly deleted?: boolean;
                /**
                 * @description `true` lists those that are pinned, `false` the others.
                 * @example true
                 */
                readonly pinned?: boolean;
                /**
                 * @description Only sessions whose name, or one of whose questions, contains this.
                 * @example filter
                 */
                readonly q?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of sessions. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ChatPage"];
                };
            };
        };
    };
    readonly createChat: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": components["schemas"]["ChatInput"];
            };
        };
        readonly responses: {
            /** @description The new session. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Chat"];
                };
            };
        };
    };
    readonly getChat: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: sessionId.
                 * @example chs_01JB2N6P8R0S2T4V6W8X0Y2Z4A
                 */
                readonly sessionId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The session. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Chat"];
                };
            };
        };
    };
    readonly updateChat: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: sessionId.
                 * @example chs_01JB2N6P8R0S2T4V6W8X0Y2Z4A
                 */
                readonly sessionId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ChatInput"];
            };
        };
        readonly responses: {
            /** @description The session after the change. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Chat"];
                };
            };
        };
    };
    readonly deleteChat: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description `true` deletes it for good.
                 * @example false
                 */
                readonly permanent?: boolean;
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: sessionId.
                 * @example chs_01JB2N6P8R0S2T4V6W8X0Y2Z4A
                 */
                readonly sessionId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is deleted. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly restoreChat: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: sessionId.
                 * @example chs_01JB2N6P8R0S2T4V6W8X0Y2Z4A
                 */
                readonly sessionId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The session. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Chat"];
                };
            };
        };
    };
    readonly listMessages: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description 1-based page number.
                 * @example 1
                 */
                readonly page?: number;
                /**
                 * @description Items per page; above 200 means 200.
                 * @example 50
                 */
                readonly per_page?: number;
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: sessionId.
                 * @example chs_01JB2N6P8R0S2T4V6W8X0Y2Z4A
                 */
                readonly sessionId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of messages. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MessagePage"];
                };
            };
        };
    };
    readonly sendMessage: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: sessionId.
                 * @example chs_01JB2N6P8R0S2T4V6W8X0Y2Z4A
                 */
                readonly sessionId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewMessage"];
            };
        };
        readonly responses: {
            /** @description The message is accepted. */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MessageState"];
                };
            };
        };
    };
    readonly pollMessage: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description `wait=20`: answer as soon as there is a change, after 20 s at the latest (RFC 7240; at most 30 s).
                 * @example wait=20
                 */
                readonly Prefer?: string;
            };
            readonly path: {
                /**
                 * @description The id: sessionId.
                 * @example chs_01JB2N6P8R0S2T4V6W8X0Y2Z4A
                 */
                readonly sessionId: string;
                /**
                 * @description The id: requestId.
                 * @example 6f1f2c0e-2f0b-4b7e-9f43-1d2a7c9b5e10
                 */
                readonly requestId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The answer, or the state of the running request. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PolledAnswer"];
                };
            };
        };
    };
    readonly streamMessage: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The id of the last event that was received: the stream goes on after it. Without it, or with an id that this message never gave, it begins with the first one.
                 * @example 1
                 */
                readonly "Last-Event-ID"?: string;
            };
            readonly path: {
                /**
                 * @description The id: sessionId.
                 * @example chs_01JB2N6P8R0S2T4V6W8X0Y2Z4A
                 */
                readonly sessionId: string;
                /**
                 * @description The id: requestId.
                 * @example 6f1f2c0e-2f0b-4b7e-9f43-1d2a7c9b5e10
                 */
                readonly requestId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The events, as they come; the schema is that of one. After `done` or `error` it ends. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/event-stream": components["schemas"]["AnswerEvent"] | string;
                };
            };
            /** @description The last event was received before: there is nothing more. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly cancelMessage: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: sessionId.
                 * @example chs_01JB2N6P8R0S2T4V6W8X0Y2Z4A
                 */
                readonly sessionId: string;
                /**
                 * @description The id: requestId.
                 * @example 6f1f2c0e-2f0b-4b7e-9f43-1d2a7c9b5e10
                 */
                readonly requestId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is cancelled. */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MessageState"];
                };
            };
        };
    };
    readonly giveFeedback: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: sessionId.
                 * @example chs_01JB2N6P8R0S2T4V6W8X0Y2Z4A
                 */
                readonly sessionId: string;
                /**
                 * @description The id: requestId.
                 * @example 6f1f2c0e-2f0b-4b7e-9f43-1d2a7c9b5e10
                 */
                readonly requestId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewFeedback"];
            };
        };
        readonly responses: {
            /** @description It is kept. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Feedback"];
                };
            };
        };
    };
    readonly deleteFeedback: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: sessionId.
                 * @example chs_01JB2N6P8R0S2T4V6W8X0Y2Z4A
                 */
                readonly sessionId: string;
                /**
                 * @description The id: requestId.
                 * @example 6f1f2c0e-2f0b-4b7e-9f43-1d2a7c9b5e10
                 */
                readonly requestId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Nothing is said of this answer any more. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly listFeedback: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description 1-based page number.
                 * @example 1
                 */
                readonly page?: number;
                /**
                 * @description Items per page; above 200 means 200.
                 * @example 50
                 */
                readonly per_page?: number;
                /**
                 * @description rating.
                 * @example up
                 */
                readonly rating?: components["schemas"]["Rating"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of ratings. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["OwnFeedbackPage"];
                };
            };
        };
    };
    readonly listAllFeedback: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description 1-based page number.
                 * @example 1
                 */
                readonly page?: number;
                /**
                 * @description Items per page; above 200 means 200.
                 * @example 50
                 */
                readonly per_page?: number;
                /**
                 * @description rating.
                 * @example up
                 */
                readonly rating?: components["schemas"]["Rating"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of ratings. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["FeedbackOfUserPage"];
                };
            };
        };
    };
    readonly getAnswering: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What answers at this moment. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Answering"];
                };
            };
        };
    };
    readonly suggestQuestions: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description Ids of folders, at most 200, separated by commas. Absent: every folder of the caller.
                 * @example fld_01JB2M3R8S5T7V9W1X3Y5Z7A2C
                 */
                readonly folder_ids?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The questions, those of the newest documents first. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SuggestedQuestions"];
                };
            };
        };
    };
    readonly watchEvents: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description Only these events, with commas between them.
                 * @example [
                 *       "document.synced",
                 *       "document.failed"
                 *     ]
                 */
                readonly types?: readonly components["schemas"]["StreamEventType"][];
                /**
                 * @description Only what happens in these folders and their subfolders, by their ids, with commas between them. Chats and answers are in none.
                 * @example [
                 *       "fld_01KAJ2Z9Q4W7N8X5R3T6V1Y0BC"
                 *     ]
                 */
                readonly folders?: readonly string[];
                /**
                 * @description The same as the header, for clients that can't send it.
                 * @example 1c0f2a9b-41
                 */
                readonly last_event_id?: string;
            };
            readonly header?: {
                /**
                 * @description The id of the last event that was received: the stream goes on after it.
                 * @example 1
                 */
                readonly "Last-Event-ID"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The stream. Its schema is that of one event. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/event-stream": components["schemas"]["SentStreamEvent"] | string;
                };
            };
        };
    };
    readonly exportFolder: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: folderId.
                 * @example fld_01J9ZK3V6W8Q2T4Y5N7B1C0DEF
                 */
                readonly folderId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The archive. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/zip": string;
                };
            };
        };
    };
    readonly importFolder: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description What the folder is to be called. Without it as it was, with ` (2)` if that is taken.
                 * @example Field reports
                 */
                readonly name?: components["schemas"]["Name2"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "multipart/form-data": {
                    /**
                     * Format: binary
                     * @description The archive.
                     */
                    readonly file: string;
                };
                readonly "application/zip": string;
            };
        };
        readonly responses: {
            /** @description The import, which is about to begin. */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["FolderImport"];
                };
            };
        };
    };
    readonly listFolderImports: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description 1-based page number.
                 * @example 1
                 */
                readonly page?: number;
                /**
                 * @description Items per page; above 200 means 200.
                 * @example 50
                 */
                readonly per_page?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of imports. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["FolderImportPage"];
                };
            };
        };
    };
    readonly getFolderImport: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: importId.
                 * @example fim_01JB2Q7T9V1X3Z5B7D9F1H3J5K
                 */
                readonly importId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description How far it is. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["FolderImport"];
                };
            };
        };
    };
    readonly listFolderImportIds: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description 1-based page number.
                 * @example 1
                 */
                readonly page?: number;
                /**
                 * @description Items per page; above 200 means 200.
                 * @example 50
                 */
                readonly per_page?: number;
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: importId.
                 * @example fim_01JB2Q7T9V1X3Z5B7D9F1H3J5K
                 */
                readonly importId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of ids. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["FolderImportIdPage"];
                };
            };
        };
    };
    readonly listWebhooks: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description All of them. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["Webhook"][];
                };
            };
        };
    };
    readonly createWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewWebhook"];
            };
        };
        readonly responses: {
            /** @description The webhook with its secret. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
        };
    };
    readonly getWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: webhookId.
                 * @example whk_01KAJ2Z9Q4W7N8X5R3T6V1Y0BC
                 */
                readonly webhookId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The webhook. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    readonly deleteWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: webhookId.
                 * @example whk_01KAJ2Z9Q4W7N8X5R3T6V1Y0BC
                 */
                readonly webhookId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is gone. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly rotateWebhookSecret: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: webhookId.
                 * @example whk_01KAJ2Z9Q4W7N8X5R3T6V1Y0BC
                 */
                readonly webhookId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The webhook with its new secret. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
        };
    };
    readonly testWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: webhookId.
                 * @example whk_01KAJ2Z9Q4W7N8X5R3T6V1Y0BC
                 */
                readonly webhookId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The delivery, which is about to begin. */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Delivery"];
                };
            };
        };
    };
    readonly listWebhookDeliveries: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description 1-based page number.
                 * @example 1
                 */
                readonly page?: number;
                /**
                 * @description Items per page; above 200 means 200.
                 * @example 50
                 */
                readonly per_page?: number;
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: webhookId.
                 * @example whk_01KAJ2Z9Q4W7N8X5R3T6V1Y0BC
                 */
                readonly webhookId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of deliveries. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DeliveryPage"];
                };
            };
        };
    };
    readonly getWebhookDelivery: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: webhookId.
                 * @example whk_01KAJ2Z9Q4W7N8X5R3T6V1Y0BC
                 */
                readonly webhookId: string;
                /**
                 * @description The id: deliveryId.
                 * @example whd_01KAJ2Z9Q4W7N8X5R3T6V1Y0BD
                 */
                readonly deliveryId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The delivery. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Delivery"];
                };
            };
        };
    };
    readonly redeliverWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: webhookId.
                 * @example whk_01KAJ2Z9Q4W7N8X5R3T6V1Y0BC
                 */
                readonly webhookId: string;
                /**
                 * @description The id: deliveryId.
                 * @example whd_01KAJ2Z9Q4W7N8X5R3T6V1Y0BD
                 */
                readonly deliveryId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The delivery, which is about to begin. */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Delivery"];
                };
            };
        };
    };
    readonly listImports: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description 1-based page number.
                 * @example 1
                 */
                readonly page?: number;
                /**
                 * @description Items per page; above 200 means 200.
                 * @example 50
                 */
                readonly per_page?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of runs. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ImportPage"];
                };
            };
        };
    };
    readonly createImport: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewImport"];
            };
        };
        readonly responses: {
            /** @description With `dry_run`: what would be imported, or why nothing could be. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ImportPreview"];
                };
            };
            /** @description The run, which is about to begin. */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Import"];
                };
            };
        };
    };
    readonly importFiles: {
        readonly parameters: {
            readonly query: {
                /**
                 * @description The folder that the documents go into.
                 * @example fld_01J9ZK3V6W8Q2T4Y5N7B1C0DEF
                 */
                readonly folder_id: string;
                /**
                 * @description Replace documents of the same name.
                 * @example false
                 */
                readonly overwrite?: boolean;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "multipart/form-data": {
                    readonly files: readonly string[];
                };
            };
        };
        readonly responses: {
            /** @description The run; its files are stored, and being indexed. */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Import"];
                };
            };
        };
    };
    readonly getImport: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: importId.
                 * @example fim_01JB2Q7T9V1X3Z5B7D9F1H3J5K
                 */
                readonly importId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The run. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Import"];
                };
            };
        };
    };
    readonly listImportItems: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description `skipped`: it had not changed since an earlier import, or the run was cancelled before it was done.
                 * @example pending
                 */
                readonly status?: components["schemas"]["ImportItemStatus"];
                /**
                 * @description 1-based page number.
                 * @example 1
                 */
                readonly page?: number;
                /**
                 * @description Items per page; above 200 means 200.
                 * @example 50
                 */
                readonly per_page?: number;
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: importId.
                 * @example fim_01JB2Q7T9V1X3Z5B7D9F1H3J5K
                 */
                readonly importId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of items. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ImportItemPage"];
                };
            };
        };
    };
    readonly cancelImport: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: importId.
                 * @example fim_01JB2Q7T9V1X3Z5B7D9F1H3J5K
                 */
                readonly importId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The run, cancelled. */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Import"];
                };
            };
        };
    };
    readonly retryImport: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: importId.
                 * @example fim_01JB2Q7T9V1X3Z5B7D9F1H3J5K
                 */
                readonly importId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The run, under way again. */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Import"];
                };
            };
        };
    };
    readonly listImportSchedules: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description 1-based page number.
                 * @example 1
                 */
                readonly page?: number;
                /**
                 * @description Items per page; above 200 means 200.
                 * @example 50
                 */
                readonly per_page?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of schedules. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ImportSchedulePage"];
                };
            };
        };
    };
    readonly createImportSchedule: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewImportSchedule"];
            };
        };
        readonly responses: {
            /** @description The schedule. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ImportSchedule"];
                };
            };
        };
    };
    readonly deleteImportSchedule: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: scheduleId.
                 * @example sch_01KAJ2Z9Q4W7N8X5R3T6V1Y0BG
                 */
                readonly scheduleId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is gone. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly listImportDirectories: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Absolute paths; none when no directory is allowed. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ImportDirectories"];
                };
            };
        };
    };
    readonly listAllSettings: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Settings. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["Setting"][];
                };
            };
        };
    };
    readonly changeSettings: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewSettings"];
            };
        };
        readonly responses: {
            /** @description The settings that were named. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["Setting"][];
                };
            };
        };
    };
    readonly listTriedSections: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Sections. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["TriedSection"][];
                };
            };
        };
    };
    readonly trySettings: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: section.
                 * @example answers
                 */
                readonly section: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewSettings"];
            };
        };
        readonly responses: {
            /** @description What came of it. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SettingsTrial"];
                };
            };
        };
    };
    readonly listTranscriptions: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description 1-based page number.
                 * @example 1
                 */
                readonly page?: number;
                /**
                 * @description Items per page; above 200 means 200.
                 * @example 50
                 */
                readonly per_page?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of runs. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TranscriptionPage"];
                };
            };
        };
    };
    readonly createTranscription: {
        readonly parameters: {
            readonly query: {
                /**
                 * @description The folder that the transcript goes into.
                 * @example fld_01J9ZK3V6W8Q2T4Y5N7B1C0DEF
                 */
                readonly folder_id: string;
                /**
                 * @description What it is to be called, instead of the recording's name.
                 * @example Interview with the warden
                 */
                readonly name?: components["schemas"]["DocumentName3"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "multipart/form-data": {
                    /**
                     * Format: binary
                     * @description The recording or the captions. Its file name is required and names the document; its media type does not matter.
                     */
                    readonly file: string;
                };
                readonly "application/json": components["schemas"]["NewTranscription"];
            };
        };
        readonly responses: {
            /** @description The run. */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Transcription"];
                };
            };
        };
    };
    readonly getTranscription: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: transcriptionId.
                 * @example trn_01KAJ2Z9Q4W7N8X5R3T6V1Y0BC
                 */
                readonly transcriptionId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The run. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Transcription"];
                };
            };
        };
    };
    readonly getTranscriptionResult: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description `json`, `vtt` (WebVTT), `srt` or `txt`.
                 * @example json
                 */
                readonly format?: "json" | "vtt" | "srt" | "txt";
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: transcriptionId.
                 * @example trn_01KAJ2Z9Q4W7N8X5R3T6V1Y0BC
                 */
                readonly transcriptionId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The transcript: JSON, `text/vtt`, `application/x-subrip` or `text/plain`. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Transcript"];
                    readonly "text/vtt": string;
                    readonly "application/x-subrip": string;
                    readonly "text/plain": string;
                };
            };
        };
    };
    readonly cancelTranscription: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id: transcriptionId.
                 * @example trn_01KAJ2Z9Q4W7N8X5R3T6V1Y0BC
                 */
                readonly transcriptionId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The run, which is cancelled. */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Transcription"];
                };
            };
        };
    };
    readonly onDocumentSynced: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @constant */
                    readonly event: "document.synced";
                    readonly document_id: string;
                    /** @constant */
                    readonly status: "synced";
                    /** Format: int64 */
                    readonly version: number;
                    /** @description The folders that hold it. */
                    readonly folder_ids: readonly string[];
                };
            };
        };
        readonly responses: {
            /** @description Any 2xx says that it has arrived. */
            readonly "2XX": {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly onDocumentFailed: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @constant */
                    readonly event: "document.failed";
                    readonly document_id: string;
                    /** @constant */
                    readonly status: "sync_failed";
                    /** Format: int64 */
                    readonly version: number;
                    /** @description The folders that hold it. */
                    readonly folder_ids: readonly string[];
                    readonly error: components["schemas"]["Failure"];
                };
            };
        };
        readonly responses: {
            /** @description Any 2xx says that it has arrived. */
            readonly "2XX": {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly onDocumentDeleted: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @constant */
                    readonly event: "document.deleted";
                    readonly document_id: string;
                    readonly name: string;
                };
            };
        };
        readonly responses: {
            /** @description Any 2xx says that it has arrived. */
            readonly "2XX": {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly onAnswerCompleted: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @constant */
                    readonly event: "answer.completed";
                    readonly chat_id: string;
                    readonly requestId: string;
                    /** @constant */
                    readonly status: "COMPLETED";
                    readonly outcome: components["schemas"]["AnswerOutcome"];
                };
            };
        };
        readonly responses: {
            /** @description Any 2xx says that it has arrived. */
            readonly "2XX": {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly onImportFinished: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @constant */
                    readonly event: "import.finished";
                    /** @description The id of the import. */
                    readonly import_run_id: string;
                    /** @enum {string} */
                    readonly status: "completed" | "completed_with_errors" | "failed";
                    /** Format: int64 */
                    readonly completed_item_count: number;
                    /** Format: int64 */
                    readonly succeeded_item_count: number;
                    /** Format: int64 */
                    readonly failed_item_count: number;
                };
            };
        };
        readonly responses: {
            /** @description Any 2xx says that it has arrived. */
            readonly "2XX": {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly onTranscriptionCompleted: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @constant */
                    readonly event: "transcription.completed";
                    /** @description The id of the transcription. */
                    readonly processing_run_id: string;
                    readonly result_history_id: string | null;
                    /** @constant */
                    readonly status: "completed";
                };
            };
        };
        readonly responses: {
            /** @description Any 2xx says that it has arrived. */
            readonly "2XX": {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
