import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readRunNote, writeRunNote } from '../../../src/daemon/run-note.ts';
import { configOf } from './settings/bot-config-reading.ts';

test.each([
  ['on', 'mode: paper\nexchange: { baseUrl: https://exchange.example }\nalerts: { channels: [] }'],
  ['on', 'mode: embedded\nembedded: { speed: 1 }\nalerts: { channels: [] }'],
  ['other speed', 'mode: embedded\nembedded: { speed: 10 }\nalerts: { channels: [] }'],
  ['not set', 'mode: embedded\nembedded: { speed: 10 }'],
] as const)('the note of a run says whether alerts are watched for: %s', (alerts, yaml) => {
  const folder = mkdtempSync(join(tmpdir(), 'sarraf-note-'));
  writeRunNote(configOf(`${yaml}\ndata: { folder: ${folder} }`));
  expect(readRunNote(folder)).toMatchObject({ alerts });
  rmSync(folder, { recursive: true });
});
