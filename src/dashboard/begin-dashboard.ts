import { AccessStore } from './access-store.ts';
import { makeFirstToken } from './access/first-token.ts';
import { writeAddressNote } from './address-note.ts';
import type { DashboardMessage, DashboardSettings } from './dashboard-messages.ts';
import { DashboardServer } from './server/dashboard-server.ts';

/** True if an error of a starting server means that another process has the port. */
export function isPortTaken(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return ((cause ?? error) as NodeJS.ErrnoException).code === 'EADDRINUSE';
}

/** A link that signs in once. */
export function linkText(address: string, code: string): string {
  return `${address}/#code=${code}`;
}

/**
 * Serves a data folder: makes the first token where there is none, listens, and notes the address down.
 * Throws as `DashboardServer` does.
 */
export async function beginDashboard(
  settings: DashboardSettings,
  onError: (message: string) => void,
): Promise<{ readonly server: DashboardServer; readonly begun: DashboardMessage & { kind: 'listening' } }> {
  const { wantsLink, ...options } = settings;
  const { dataFolder } = options;
  const server = new DashboardServer({ ...options, onError });
  const address = await server.listen();
  const store = new AccessStore(dataFolder);
  try {
    const tokenFile = makeFirstToken(store, dataFolder);
    const link = wantsLink ? linkText(address, store.addLink('operate').code) : null;
    writeAddressNote(dataFolder, address);
    return { server, begun: { kind: 'listening', address, tokenFile, link } };
  } catch (error) {
    await server.close();
    throw error;
  } finally {
    store.close();
  }
}
