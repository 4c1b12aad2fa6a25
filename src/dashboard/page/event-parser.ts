interface ServerEvent {
  readonly name: string;
  readonly data: string;
  readonly id: string | null;
}

/** Maximum length of an event, in characters: the server's have a few thousand. A longer one is dropped. */
const MOST_CHARACTERS = 1_000_000;

/**
 * Parses server-sent events from pieces of text, which may end anywhere. It reads the fields `event`, `data`
 * and `id` of WHATWG HTML, "Server-sent events".
 */
export class EventParser {
  #rest = '';

  /** Adds a piece of text and returns the events that are complete with it. */
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
