import { crc32, deflateSync } from 'node:zlib';

const WIDTH = 600;
const HEIGHT = 240;
const MARGIN = 16;

/** Red, green and blue. */
type Colour = readonly [number, number, number];
const PAPER: Colour = [255, 255, 255];
const GRID: Colour = [228, 230, 235];
const RISEN: Colour = [22, 128, 92];
const FALLEN: Colour = [196, 48, 43];

/**
 * A small picture of values over time as a PNG: the line, what is below it, and where it began. Red where the
 * last value is below the first. It has no numbers: the text of the message has them.
 */
export function equityPicture(values: readonly number[]): Buffer {
  const canvas = new Canvas();
  const least = Math.min(...values);
  const span = Math.max(...values) - least;
  const yOf = (value: number): number =>
    HEIGHT - MARGIN - (span === 0 ? 0.5 : (value - least) / span) * (HEIGHT - 2 * MARGIN);
  const xOf = (index: number): number => MARGIN + (index / (values.length - 1)) * (WIDTH - 2 * MARGIN);
  const first = values[0] ?? 0;
  const colour = (values.at(-1) ?? 0) < first ? FALLEN : RISEN;
  for (let x = MARGIN; x < WIDTH - MARGIN; x += 1) {
    const place = ((x - MARGIN) / (WIDTH - 2 * MARGIN)) * (values.length - 1);
    const before = values[Math.floor(place)] ?? first;
    const after = values[Math.ceil(place)] ?? before;
    const y = yOf(before + (after - before) * (place - Math.floor(place)));
    canvas.column(x, y, HEIGHT - MARGIN, faded(colour));
  }
  canvas.line({ fromX: MARGIN, fromY: yOf(first), toX: WIDTH - MARGIN, toY: yOf(first), width: 1 }, GRID);
  for (let index = 1; index < values.length; index += 1) {
    canvas.line(
      {
        fromX: xOf(index - 1),
        fromY: yOf(values[index - 1] ?? first),
        toX: xOf(index),
        toY: yOf(values[index] ?? first),
        width: 3,
      },
      colour,
    );
  }
  return canvas.png();
}

const WASH = 0.14;

/** The same colour, as light as a wash. */
function faded([red, green, blue]: Colour): Colour {
  return [lightened(red), lightened(green), lightened(blue)];
}

function lightened(part: number): number {
  return Math.round(255 - (255 - part) * WASH);
}

interface Stroke {
  readonly fromX: number;
  readonly fromY: number;
  readonly toX: number;
  readonly toY: number;
  readonly width: number;
}

class Canvas {
  private readonly pixels = Buffer.alloc(WIDTH * HEIGHT * 3, Buffer.from(PAPER));

  column(x: number, fromY: number, toY: number, colour: Colour): void {
    for (let y = Math.round(fromY); y < toY; y += 1) this.set(x, y, colour);
  }

  line({ fromX, fromY, toX, toY, width }: Stroke, colour: Colour): void {
    const steps = Math.max(1, Math.ceil(Math.max(Math.abs(toX - fromX), Math.abs(toY - fromY))));
    for (let step = 0; step <= steps; step += 1) {
      const x = Math.round(fromX + ((toX - fromX) * step) / steps);
      const y = Math.round(fromY + ((toY - fromY) * step) / steps);
      for (let dx = 0; dx < width; dx += 1) {
        for (let dy = 0; dy < width; dy += 1)
          this.set(x + dx - Math.floor(width / 2), y + dy - Math.floor(width / 2), colour);
      }
    }
  }

  /** As a PNG of true colour (https://www.w3.org/TR/png-3, 5.2 and 11.2). */
  png(): Buffer {
    const header = Buffer.alloc(13);
    header.writeUInt32BE(WIDTH, 0);
    header.writeUInt32BE(HEIGHT, 4);
    header.set([8, 2, 0, 0, 0], 8);
    const rows = Buffer.alloc((WIDTH * 3 + 1) * HEIGHT);
    for (let y = 0; y < HEIGHT; y += 1)
      this.pixels.copy(rows, y * (WIDTH * 3 + 1) + 1, y * WIDTH * 3, (y + 1) * WIDTH * 3);
    return Buffer.concat([
      Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
      chunk('IHDR', header),
      chunk('IDAT', deflateSync(rows)),
      chunk('IEND', Buffer.alloc(0)),
    ]);
  }

  private set(x: number, y: number, colour: Colour): void {
    if (x >= 0 && x < WIDTH && y >= 0 && y < HEIGHT) this.pixels.set(colour, (y * WIDTH + x) * 3);
  }
}

function chunk(kind: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const content = Buffer.concat([Buffer.from(kind, 'latin1'), data]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, sum]);
}
