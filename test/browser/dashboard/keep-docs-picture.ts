import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';

const FOLDER = 'docs/images';

/**
 * A picture of what is seen of a page, as a small WebP file; its size in bytes. It is kept in the docs only where
 * SARRAF_DOCS_PICTURES asks for it, since letters are drawn in another way on each machine.
 */
export async function keepDocsPicture(browser: Browser, page: Page, name: string): Promise<number> {
  const png = await page.screenshot();
  const blank = await browser.newPage();
  const packed = await blank.evaluate(
    `(async () => {
      const bytes = Uint8Array.from(atob('${png.toString('base64')}'), (letter) => letter.charCodeAt(0));
      const picture = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const canvas = new OffscreenCanvas(picture.width, picture.height);
      canvas.getContext('2d').drawImage(picture, 0, 0);
      const blob = await canvas.convertToBlob({ type: 'image/webp', quality: 0.85 });
      return Array.from(new Uint8Array(await blob.arrayBuffer()));
    })()`,
  );
  await blank.close();
  const bytes = Buffer.from(packed as number[]);
  if (process.env['SARRAF_DOCS_PICTURES'] !== undefined) writeFileSync(join(FOLDER, `${name}.webp`), bytes);
  return bytes.length;
}
