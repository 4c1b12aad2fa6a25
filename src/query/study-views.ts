import { existsSync } from 'node:fs';
import { SarrafError, dataUnusable } from '../domain/errors.ts';
import { closing } from '../domain/closing.ts';
import type { Database } from '../recording/duckdb.ts';
import { readWrittenStudy } from '../study/study-settings.ts';
import { StudyFolder } from '../study/study-place.ts';
import type { StoredTrial } from '../study/study-rows.ts';
import { StudyStore } from '../study/study-store.ts';
import { universeText } from '../strategy/strategy-port.ts';
import {
  type MadeView,
  type QueryPlaces,
  createRowsTable,
  NOTE_FIELDS,
  STUDY_FIELDS,
  TRIAL_FIELDS,
} from './views.ts';
import { mirrorPathOf } from '../mirror/mirror-path.ts';
import { MirrorReader } from '../mirror/mirror-reader.ts';
import { NOTE_ROWS } from '../mirror/record-tables.ts';

type Row = Readonly<Record<string, unknown>>;

export async function makeStudiesView(database: Database, places: QueryPlaces): Promise<MadeView> {
  const studies = new Studies(places);
  const rows = studies.rows((store, study) => [rowOfStudy(store, study)]);
  const count = await createRowsTable(database, { name: 'studies', fields: STUDY_FIELDS, rows });
  return studies.made(count, 'studies');
}

export async function makeTrialsView(database: Database, places: QueryPlaces): Promise<MadeView> {
  const studies = new Studies(places);
  const rows = studies.rows(trialRows);
  const count = await createRowsTable(database, { name: 'trials', fields: TRIAL_FIELDS, rows });
  return studies.made(count, 'trials');
}

/** Makes a table of the notes in the bot's mirror; an unreadable mirror does not hide other views. */
export async function makeNotesView(database: Database, { data }: QueryPlaces): Promise<MadeView> {
  const path = mirrorPathOf(data);
  const unreadable: string[] = [];
  let rows: readonly Row[] = [];
  try {
    if (existsSync(path)) {
      using reader = closing(new MirrorReader(path));
      rows = NOTE_ROWS.select(reader.database, 'ORDER BY at_ms, entry')();
    }
  } catch (error) {
    if (!(error instanceof SarrafError)) throw error;
    unreadable.push(error.message);
  }
  const count = await createRowsTable(database, { name: 'trip_notes', fields: NOTE_FIELDS, rows });
  return { files: [], nothing: count === 0 ? `there are no notes in ${path}` : null, unreadable };
}

/** The studies of a data folder. One that can not be read does not hide the others. */
class Studies {
  readonly #unreadable: string[] = [];
  readonly #places: QueryPlaces;

  constructor(places: QueryPlaces) {
    this.#places = places;
  }

  *rows(rowsOf: (store: StudyStore, study: string) => Iterable<Row>): Generator<Row> {
    const folder = new StudyFolder(this.#places.data);
    for (const study of folder.names()) {
      try {
        using store = closing(StudyStore.openToRead(folder.pathOf(study)));
        yield* rowsOf(store, study);
      } catch (error) {
        if (!(error instanceof SarrafError)) throw error;
        this.#unreadable.push(error.message);
      }
    }
  }

  made(count: number, what: string): MadeView {
    const nothing = count === 0 ? `there are no ${what} in ${this.#places.data}/studies` : null;
    return { files: [], nothing, unreadable: this.#unreadable };
  }
}

function rowOfStudy(store: StudyStore, study: string): Row {
  const head = store.head();
  if (head === null)
    throw dataUnusable(`expected a study at ${store.path}, found an empty file: run it again`);
  const { settings } = readWrittenStudy(head.written);
  const { strategy, markets, universe, timeframe, sampler, objectives, budget } = settings;
  return {
    study,
    strategy,
    market: universe === undefined ? markets.join(', ') : universeText(universe),
    timeframe,
    fromTimeMs: head.range.fromMs,
    splitTimeMs: head.range.splitMs,
    toTimeMs: head.range.toMs,
    sampler: sampler.kind,
    seed: sampler.seed,
    objective: objectives.map(({ metric }) => metric).join(', '),
    wanted: budget.trials,
    done: store.count(),
    holdoutOpenedAtMs: store.holdout()?.openedAtMs ?? null,
  };
}

function* trialRows(store: StudyStore, study: string): Generator<Row> {
  for (const trial of store.shownOutcomes()) yield rowOfTrial(trial, study);
}

function rowOfTrial({ number, params, outcome, failure, metrics }: StoredTrial, study: string): Row {
  const isComplete = outcome.kind === 'complete';
  return {
    ...metrics,
    study,
    number,
    params,
    value: isComplete ? (outcome.values[0] ?? null) : null,
    violation: isComplete ? outcome.violation : null,
    failure,
    reason: isComplete ? null : outcome.reason,
  };
}
