import { strategyFileOf } from '../../daemon/load-instances.ts';
import { baseName } from '../../daemon/strategy-settings.ts';
import { messageOf, SarrafError } from '../../domain/errors.ts';
import { engineVersion, codeHash, isSignedBundle, unpackBundle } from '../code-bundle.ts';
import { readWrittenStudy } from '../read-study.ts';
import { setupOfStudy, sharedSetup, withData, type TrialSetup } from '../trials/trial-setup.ts';
import { type FileSource, allowedOrigin, type FileCache, readTrialFiles, checksumOf } from '../file-cache.ts';
import { type ServedFile, type StudyOffer, settingsOfTrials, sourceKey } from './offered-study.ts';
import { tlsFailure } from '../../domain/tls-failure.ts';

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

/** A larger file is not asked for: ten million candles of one market have 480 MB. */
const MOST_BYTES = 1024 ** 3;
/** Time limit of a download. */
const WITHIN_MS = 300_000;

/**
 * A file of a study: from the cache, else from its coordinator, where that is one of the allowed sources.
 * Throws `DATA_UNUSABLE` where neither has it, and where it is another one.
 */
export async function fetchFile(
  file: ServedFile,
  of: {
    readonly offer: StudyOffer;
    readonly cache: FileCache;
    readonly sources: readonly FileSource[];
    readonly say: (line: string) => void;
    readonly signal: AbortSignal;
  },
): Promise<Buffer> {
  const { offer, cache, sources, say } = of;
  const cached = cache.find(file.sha256);
  if (cached !== null) return cached;
  if (file.bytes > MOST_BYTES) throw unusable(offer, `${file.bytes} bytes, and takes at most ${MOST_BYTES}`);
  const origin = allowedOrigin(offer.address, sources);
  const bytes = await download(`${origin}/files/${file.sha256}`, of, file.bytes);
  if (checksumOf(bytes) !== file.sha256) throw unusable(offer, 'something else');
  try {
    cache.keep(file.sha256, bytes);
  } catch (error) {
    // It is in memory, which is all that this study needs.
    const reason = messageOf(error);
    say(
      `expected room for ${file.bytes} bytes in the cache, found none (${reason}): fetched again next time`,
    );
  }
  return bytes;
}

async function download(
  url: string,
  { offer, signal }: { readonly offer: StudyOffer; readonly signal: AbortSignal },
  length: number,
): Promise<Buffer> {
  try {
    const reply = await fetch(url, {
      headers: { authorization: `Bearer ${offer.token}` },
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(WITHIN_MS)]),
    });
    if (!reply.ok || reply.body === null) throw unusable(offer, `status ${reply.status}`);
    const bytes = Buffer.alloc(length);
    let at = 0;
    for await (const part of reply.body) {
      if (at + part.length > length) throw unusable(offer, `more than ${length} bytes`);
      bytes.set(part, at);
      at += part.length;
    }
    if (at < length) throw unusable(offer, `${at} of ${length} bytes`);
    return bytes;
  } catch (error) {
    if (error instanceof SarrafError) throw error;
    throw unusable(offer, `no answer (${causeOf(error)}): give the coordinator --serve HOST:PORT`);
  }
}

function causeOf(error: unknown): string {
  const ofTls = tlsFailure(error);
  if (ofTls !== null) return ofTls;
  const { cause } = Object(error) as { readonly cause?: unknown };
  const { code } = Object(cause) as { readonly code?: unknown };
  if (typeof code === 'string') return code;
  return messageOf(error);
}

const unusable = ({ address }: StudyOffer, found: string): SarrafError =>
  new SarrafError(
    'DATA_UNUSABLE',
    `expected a file of the study from its coordinator at ${address}, found ${found}`,
  );
