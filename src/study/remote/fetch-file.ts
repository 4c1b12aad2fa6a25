import { SarrafError } from '../../domain/errors.ts';
import { tlsFailure } from '../../domain/tls-failure.ts';
import { checksumOf } from './columns-file.ts';
import { allowedOrigin, type FileSource } from './file-source.ts';
import type { FileCache } from './file-cache.ts';
import type { ServedFile, StudyOffer } from './study-offer.ts';

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
    const reason = error instanceof Error ? error.message : String(error);
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
  return error instanceof Error ? error.message : String(error);
}

const unusable = ({ address }: StudyOffer, found: string): SarrafError =>
  new SarrafError(
    'DATA_UNUSABLE',
    `expected a file of the study from its coordinator at ${address}, found ${found}`,
  );
