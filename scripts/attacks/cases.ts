/** The table of all cases, in which the command line finds them. */
import { administration_cases } from "./administration";
import { body_cases } from "./bodies";
import type { Case } from "./case";
import { change_cases } from "./changes";
import { connection_cases } from "./connections";
import { file_cases } from "./files";
import { list_cases } from "./lists";
import { question_cases } from "./questions";
import { search_cases } from "./searches";
import { text_cases } from "./texts";
import { transfer_cases } from "./transfers";
import { unread_cases } from "./unread";
import { upload_cases } from "./uploads";

export const cases: readonly Case[] = [
  ...search_cases,
  ...text_cases,
  ...body_cases,
  ...connection_cases,
  ...list_cases,
  ...change_cases,
  ...question_cases,
  ...unread_cases,
  ...upload_cases,
  ...file_cases,
  ...transfer_cases,
  ...administration_cases,
];
