interface ServerEvent {
  readonly name: string;
  readonly data: string;
  readonly id: string | null;
}

/** An event of the server is a few kilobytes; what is longer than this is cut off and lost. */
const MOST_CHARACTERS = 1_000_000;

/**
 * Reads server-sent events from pieces of text, which may end anywhere. WHATWG HTML, "Server-sent events",
 * of which the fields `event`, `data` and `id` are read.
 */
export class EventParser {
  #rest = '';

  /** The events that are whole with this piece. */
  parse(piece: string): readonly ServerEvent[] {
    const text = (this.#rest + piece).replaceAll('\r\n', '\n');
    const blocks = text.split('\n\n');
    this.#rest = (blocks.pop() ?? '').slice(-MOST_CHARACTERS);
    return blocks.flatMap((block) => readBlock(block));
  }
}

function readBlock(block: string): readonly ServerEvent[] {
  let name = 'message';
  let id: string | null = null;
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (field === 'event') name = value;
    else if (field === 'id') id = value;
    else if (field === 'data') data.push(value);
  }
  return data.length === 0 ? [] : [{ name, data: data.join('\n'), id }];
}
