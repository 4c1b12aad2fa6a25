import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownFile } from '../../plugins/own-files.ts';
import { failed } from '../command-error.ts';
import { endSignal } from '../end-signal.ts';
import { botFiles } from './bot-files.ts';
import type { BotWishes } from './bot-wishes.ts';
import { INIT_TEXTS } from './init-texts.ts';
import { packCheckout } from './pack-checkout.ts';
import { ownOrigin, testedVersions, type PackageOrigin } from './package-origin.ts';
import { checkIsFree, vendorPath, writeBotFolder, type FolderContent } from './write-bot-folder.ts';

/**
 * Writes the folder of a new bot, and answers with the paths of its files. Ctrl-C ends it before anything is
 * written, or comes too late.
 */
export async function makeBot(
  wishes: BotWishes,
  say: (line: string) => void,
  origin: PackageOrigin = ownOrigin(),
): Promise<readonly string[]> {
  const scratch = origin.kind === 'checkout' ? mkdtempSync(join(tmpdir(), 'sarraf-pack-')) : null;
  const { signal, release } = endSignal();
  try {
    // Packing takes seconds: who named the wrong folder is told before it.
    checkIsFree(wishes.folder);
    let packed = origin.kind === 'file' ? origin.path : null;
    if (origin.kind === 'checkout' && scratch !== null) {
      say(INIT_TEXTS[wishes.language].packing);
      packed = await packCheckout(origin.folder, scratch, signal);
    }
    const content = contentOf(wishes, origin, packed);
    writeBotFolder(wishes.folder, content);
    return [...content.texts.keys(), ...content.copies.keys()];
  } catch (error) {
    throw signal.aborted ? failed(INIT_TEXTS[wishes.language].ended) : error;
  } finally {
    release();
    if (scratch !== null) rmSync(scratch, { recursive: true, force: true });
  }
}

/** Returns the content of a new bot's folder; `packed` is its sarraf package, if it gets a copy of one. */
function contentOf(wishes: BotWishes, origin: PackageOrigin, packed: string | null): FolderContent {
  const texts = botFiles(wishes, {
    sarraf: packed === null ? (origin.kind === 'named' ? origin.name : '') : `file:${vendorPath(packed)}`,
    versions: testedVersions(),
    strategy: (file) => readFileSync(ownFile(join('strategies', file)), 'utf8'),
  });
  return { texts, copies: packed === null ? new Map() : new Map([[vendorPath(packed), packed]]) };
}
