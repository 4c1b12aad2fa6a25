import { strategyFileOf } from '../../daemon/load-instances.ts';
import { baseName } from '../../daemon/settings/strategy-settings.ts';
import { SarrafError } from '../../domain/errors.ts';
import { engineVersion } from '../question/engine-version.ts';
import { codeHash } from '../data/code-hash.ts';
import { readWrittenStudy } from '../file/read-study.ts';
import { setupOfStudy } from '../trials/setup-of-study.ts';
import { sharedSetup, withData, type TrialSetup } from '../trials/trial-setup.ts';
import { isSignedBundle, unpackBundle } from './code-bundle.ts';
import type { FileSource } from './file-source.ts';
import { fetchFile } from './fetch-file.ts';
import type { FileCache } from './file-cache.ts';
import type { ServedFile, StudyOffer } from './study-offer.ts';
import { readTrialFiles } from './trial-files.ts';
import { settingsOfTrials, sourceKey } from './trial-key.ts';

/** Resources with which a worker accepts studies. */
export interface WorkerMeans {
  /** Folders of strategies, the first one that has it wins. */
  readonly folders: readonly string[];
  /** Folder in which code that was sent is stored. */
  readonly codeFolder: string;
  readonly cache: FileCache;
  /** From which data is fetched, whatever an offer says. */
  readonly sources: readonly FileSource[];
  readonly secret: string | null;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/** An offer that fits, with all that its trials need. */
export interface TakenOffer {
  readonly offer: StudyOffer;
  readonly setup: TrialSetup;
  readonly strategyFile: string;
}

/**
 * Makes sure that trials of an offer are the same here as anywhere, and fetches what is missing. Throws, in
 * one sentence, why they are not.
 */
export async function takeOffer(offer: StudyOffer, means: WorkerMeans): Promise<TakenOffer> {
  const engine = engineVersion();
  if (offer.engine !== engine)
    throw misfit(`sarraf ${offer.engine}`, `${engine}: install the same version here`);
  const strategyFile = await strategyOf(offer, means);
  const { settings } = readWrittenStudy({ ...offer.written, strategy: strategyFile });
  const source = sourceKey({
    engine,
    code: offer.code,
    data: filesOf(offer).map(({ sha256 }) => sha256),
    settings: settingsOfTrials(settings, settings.to ?? null),
  });
  if (source !== offer.source)
    throw misfit('settings that are read alike', 'others: install the same sarraf here');
  const markets: Buffer[] = [];
  for (const file of offer.data) markets.push(await fetchFile(file, { ...means, offer }));
  const signals = offer.signals === null ? null : await fetchFile(offer.signals, { ...means, offer });
  const data = readTrialFiles({ markets, signals }, settings);
  const setup = withData(setupOfStudy(settings), data, settings.from ?? null);
  return { offer, setup: sharedSetup(setup), strategyFile };
}

/** All that its trials see. */
const filesOf = ({ data, signals }: Pick<StudyOffer, 'data' | 'signals'>): readonly ServedFile[] =>
  signals === null ? data : [...data, signals];

/** The file of the strategy: one that is here, else what is sent and signed. */
async function strategyOf(offer: StudyOffer, means: WorkerMeans): Promise<string> {
  const name = baseName(String(offer.written['strategy']));
  const found = means.folders.flatMap((folder) => strategyFileOf({ kind: 'name', name }, [folder]) ?? []);
  const here = found.find((file) => codeHash(file) === offer.code);
  if (here !== undefined) return here;
  const expected = `strategy ${name} with SHA-256 ${offer.code.slice(0, 12)}…`;
  const [other] = found;
  const has = other === undefined ? `none in ${means.folders.join(' or ')}` : `other code in ${other}`;
  if (offer.bundle === null)
    throw misfit(expected, `${has}: copy it here, or run the study with --send-code`);
  if (means.secret === null)
    throw misfit(expected, `${has}, and no secret to take it with: give --secret-file`);
  const bytes = await fetchFile(offer.bundle, { ...means, offer });
  if (!isSignedBundle(bytes, offer.bundle.hmac, means.secret))
    throw misfit(`${expected} signed with the secret of this worker`, 'another signature');
  return unpackBundle(bytes, { folder: means.codeFolder, code: offer.code });
}

const misfit = (expected: string, found: string): SarrafError =>
  new SarrafError('INVALID_OPTIONS', `expected ${expected}, found ${found}`);
