/**
 * The built-in plugins. The host sorts them by their dependencies; this order determines only that
 * of the paths in the OpenAPI document.
 */
import accounts from "./accounts/plugin";
import answersExtractive from "./answers-extractive/plugin";
import answersOpenai from "./answers-openai/plugin";
import audit from "./audit/plugin";
import backups from "./backups/plugin";
import chats from "./chats/plugin";
import client from "./client/plugin";
import console from "./console/plugin";
import doctor from "./doctor/plugin";
import documentation from "./documentation/plugin";
import documents from "./documents/plugin";
import embeddings from "./embeddings/plugin";
import embeddingsBuiltin from "./embeddings-builtin/plugin";
import events from "./events/plugin";
import extraction from "./extraction/plugin";
import folderArchives from "./folder-archives/plugin";
import folders from "./folders/plugin";
import imports from "./imports/plugin";
import index from "./search-index/plugin";
import mcp from "./mcp/plugin";
import metrics from "./metrics/plugin";
import oidc from "./oidc/plugin";
import openaiApi from "./openai-api/plugin";
import pluginManager from "./plugin-manager/plugin";
import prompts from "./prompts/plugin";
import quotas from "./quotas/plugin";
import rateLimit from "./rate-limit/plugin";
import rerank from "./rerank/plugin";
import search from "./search/plugin";
import settings from "./settings/plugin";
import signIn from "./sign-in/plugin";
import signInHeader from "./signin-header/plugin";
import texts from "./texts/plugin";
import transcriptions from "./transcriptions/plugin";
import webhooks from "./webhooks/plugin";

export const builtIn = [
  accounts,
  audit,
  chats,
  answersExtractive,
  answersOpenai,
  backups,
  client,
  console,
  doctor,
  documentation,
  documents,
  embeddings,
  embeddingsBuiltin,
  events,
  extraction,
  folders,
  folderArchives,
  imports,
  index,
  mcp,
  metrics,
  oidc,
  openaiApi,
  pluginManager,
  prompts,
  quotas,
  rateLimit,
  rerank,
  search,
  settings,
  signIn,
  signInHeader,
  texts,
  transcriptions,
  webhooks,
];
