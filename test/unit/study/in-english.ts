import { studyJson } from '../../../src/study/study-voice.ts';

/** Type of data whose findings are sentences. */
type InEnglish<T> = T extends { readonly fact: string }
  ? string
  : T extends object
    ? { readonly [Key in keyof T]: InEnglish<T[Key]> }
    : T;

/** Returns what a command prints of a value with `--json`. */
export const inEnglish = <T>(value: T): InEnglish<T> => JSON.parse(studyJson(value)) as InEnglish<T>;
