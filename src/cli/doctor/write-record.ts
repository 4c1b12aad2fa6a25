import { writePrivateFile } from '../../configuration/private-file.ts';
import { createScrubber } from '../../daemon/logging/redact.ts';
import type { BotConfig } from '../../daemon/settings/create-bot-config.ts';
import { isAnonymous } from '../../exchange/authenticator.ts';
import type { Endpoint } from '../../exchange/endpoint.ts';
import { ENDPOINTS } from '../../exchange/endpoints/index.ts';
import { VERSION } from '../../exchange/version.ts';
import { secretsOf } from '../../venues/live/client-credentials.ts';
import { anonymousReply } from './anonymous-reply.ts';
import type { CheckFinding } from './check-finding.ts';
import { Pseudonyms } from './pseudonyms.ts';
import type { SeenReply } from './read-only-tap.ts';

const NOTE =
  'Replies that "sarraf doctor --record" got. Tokens, names, addresses, numbers of people, ids and texts that the interface does not name are replaced, equal ones alike; of amounts only the length is left.';

/** The file of `doctor --record`, as text: replies and verdicts, and nothing of whose they are. */
export function recordText(
  seen: readonly SeenReply[],
  of: {
    readonly findings: readonly CheckFinding[];
    readonly credentials: BotConfig['exchange']['credentials'];
  },
): string {
  const pseudonyms = new Pseudonyms();
  const replies = seen.map(({ method, path, sentMs, receivedMs, reply, error }) => {
    const [place = path] = path.split('?', 1);
    return {
      request: `${method} ${place}`,
      tookMs: receivedMs - sentMs,
      error,
      reply: reply === null ? null : anonymousReply(reply, { isPublic: isPublic(method, place), pseudonyms }),
    };
  });
  const record = {
    format: 'sarraf-doctor-1',
    note: NOTE,
    sarraf: VERSION,
    node: process.versions.node,
    system: process.platform,
    // Their texts may have paths and names in them.
    checks: of.findings.map(({ check, verdict }) => ({ check, verdict })),
    replies,
  };
  return createScrubber(secretsOf(of.credentials))(`${JSON.stringify(record, null, 2)}\n`);
}

/** Writes it, for this user alone until it is sent. Throws what the system throws. */
export function writeRecord(path: string, text: string): void {
  writePrivateFile(path, text);
}

function isPublic(method: string, place: string): boolean {
  return (Object.values(ENDPOINTS) as readonly Endpoint[]).some(
    (endpoint) => endpoint.method === method && endpoint.path === place && isAnonymous(endpoint.access),
  );
}
