/** "sars" in ASCII: distinguishes a study from any other SQLite file. */
export const STUDY_APPLICATION_ID = 0x73617273;
/** "sart" in ASCII: the register of all trials. */
export const REGISTER_APPLICATION_ID = 0x73617274;

/** To be raised when a reader of the tables before would misread them. */
export const STUDY_VERSION = 3;
export const REGISTER_VERSION = 1;

/**
 * One study a file. A trial is one row, committed when it has ended. Times stand apart, since they are all
 * that differs between two runs of the same study. Trials of a walk-forward are numbered in each of its
 * windows. Runs under stress are of one trial each; what they were made of is kept once all of them are.
 */
export const STUDY_TABLES = `
  CREATE TABLE study (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    written TEXT NOT NULL,
    identity TEXT NOT NULL,
    split TEXT NOT NULL
  ) STRICT;
  CREATE TABLE trials (
    number INTEGER PRIMARY KEY CHECK (number >= 0),
    point TEXT NOT NULL,
    params TEXT NOT NULL,
    outcome TEXT NOT NULL,
    failure TEXT,
    metrics TEXT,
    first_day INTEGER,
    returns BLOB
  ) STRICT;
  CREATE TABLE timings (
    number INTEGER PRIMARY KEY REFERENCES trials (number),
    ended_at_ms INTEGER NOT NULL,
    took_ms REAL NOT NULL
  ) STRICT;
  CREATE TABLE holdout (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    opened_at_ms INTEGER NOT NULL,
    trial INTEGER NOT NULL REFERENCES trials (number),
    after_trials INTEGER NOT NULL,
    report TEXT
  ) STRICT;
  CREATE TABLE walk_forward (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    plan TEXT NOT NULL,
    account TEXT
  ) STRICT;
  CREATE TABLE window_trials (
    window INTEGER NOT NULL CHECK (window >= 1),
    number INTEGER NOT NULL CHECK (number >= 0),
    point TEXT NOT NULL,
    params TEXT NOT NULL,
    outcome TEXT NOT NULL,
    failure TEXT,
    metrics TEXT,
    first_day INTEGER,
    returns BLOB,
    PRIMARY KEY (window, number)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE stress (
    trial INTEGER PRIMARY KEY REFERENCES trials (number),
    basis TEXT NOT NULL
  ) STRICT;
  CREATE TABLE stress_runs (
    trial INTEGER NOT NULL REFERENCES trials (number),
    run TEXT NOT NULL,
    report TEXT NOT NULL,
    PRIMARY KEY (trial, run)
  ) STRICT, WITHOUT ROWID;
`;

/** Table of the ranges of each study's trials. Created if missing: older registers did not have it. */
export const SEEN_TABLE = `
  CREATE TABLE IF NOT EXISTS seen (
    study TEXT PRIMARY KEY REFERENCES studies (id),
    from_ms INTEGER NOT NULL,
    to_ms INTEGER NOT NULL
  ) STRICT;
`;

/** Every study that was ever run with this data folder, the months of its bars, and openings of hold-outs. */
export const REGISTER_TABLES = `
  CREATE TABLE studies (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    trials INTEGER NOT NULL,
    opened_at_ms INTEGER
  ) STRICT;
  CREATE TABLE months (
    month TEXT NOT NULL,
    study TEXT NOT NULL REFERENCES studies (id),
    PRIMARY KEY (month, study)
  ) STRICT, WITHOUT ROWID;
`;
