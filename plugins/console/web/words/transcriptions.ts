/** The words of transcriptions. */

export const transcription_words = {
  title: "Transcriptions", one: "Transcription", text: "Recordings and captions become documents whose citations tell when something was said.", label: "Transcriptions",
  create: "New transcription", name: "Recording", folder: "Folder", status: "Status", length: "Length", created: "Started", unnamed: "Recording", gone_folder: "Deleted folder", actions: "Actions",
  states: { pending: "Waiting", running: "Transcribing", completed: "Ready", failed: "Failed", cancelled: "Cancelled" },
  empty_title: "Nothing transcribed yet", empty_text: "Add audio, video or captions (.vtt, .srt). Captions work with nothing set up; recordings need a transcriber in the server’s settings.",
  no_folder_title: "Create a folder first", no_folder_text: "The transcript is put into a folder.", to_folders: "Go to folders",
  create_title: "New transcription", from_label: "From", from: { file: "A file", url: "An address" }, file_label: "Audio, video or captions", url_label: "Address", url_hint: "Of a recording or captions on a public host",
  folder_label: "Into the folder", start: "Transcribe", uploading: (share: string) => `Uploading ${share}`, upload_label: "Upload",
  cancel: "Cancel transcription", cancel_title: "Cancel this transcription?", cancel_text: "It stops at once, and no document is made.", cancelled: "Transcription cancelled.",
  failed_title: "This could not be transcribed", progress_label: "Transcription", waiting: "Waiting for its turn", progress: (share: string) => `${share} done`,
  downloads: "Download", formats: { txt: "Text", vtt: "WebVTT", srt: "SRT", json: "JSON" }, document: "Open document", language: "Language", took: "Took", transcript: "Transcript", gone_document: "The document was deleted.",
  indexing: "The transcript is being indexed.",
} as const;
