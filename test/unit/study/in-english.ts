import { studyJson } from '../../../src/study/study-voice.ts';

/** The shape of data with its findings as sentences. */
type InEnglish<T> = T extends { readonly fact: string }
  ? string
  : T extends object
    ? { readonly [Key in keyof T]: InEnglish<T[Key]> }
    : T;

/** What a command prints of it with `--json`. */
export const inEnglish = <T>(value: T): InEnglish<T> => JSON.parse(studyJson(value)) as InEnglish<T>;
