import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { checksum, leftOvers, unknownFiles } from '../durable-file.ts';
import { folderPath, type FolderKey } from '../folder-key.ts';
import type { Manifest, Partition } from '../manifest.ts';
import type { Findings } from './findings.ts';

/**
 * Holds the files of a folder against its manifest, and answers the partitions that can be read. What a killed writer has left is no finding: the next one removes it.
 */
export async function checkFiles(
  root: string,
  of: { readonly key: FolderKey; readonly manifest: Manifest; readonly findings: Findings },
): Promise<{ readonly sound: readonly Partition[]; readonly leftOvers: readonly string[] }> {
  const { key, manifest, findings } = of;
  const folder = folderPath(root, key);
  const sound: Partition[] = [];
  for (const partition of manifest.partitions) {
    const path = join(folder, partition.file);
    if (!existsSync(path)) findings.add('file', partition.fromMs, `${path} is missing`);
    else if (statSync(path).size !== partition.bytes || (await checksum(path)) !== partition.sha256) {
      findings.add('file', partition.fromMs, `${path} is not what was written: its checksum is wrong`);
    } else sound.push(partition);
  }
  for (const name of unknownFiles(folder, manifest)) {
    findings.add('file', null, `${join(folder, name)} is there, and the manifest does not know of it`);
  }
  return { sound, leftOvers: leftOvers(folder, manifest) };
}
