/** Matches a string, a punctuation mark, or any other value. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Deepest level that is indented, more than any reply has; deeper lines are indented no further. */
const DEEPEST = 20;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Writes JSON with a line for each field. Numbers and texts stay exactly as they were written, since they are
 * not parsed. A text that is not JSON, such as an HTML page or a cut body, is returned as it is.
 */
export function indentedJson(text: string): string {
  if (!isJson(text)) return text;
  const tokens = text.match(TOKEN) ?? [];
  let depth = 0;
  let lines = '';
  const line = (): string => `\n${'  '.repeat(Math.min(depth, DEEPEST))}`;
  for (const [index, token] of tokens.entries()) {
    const isOpening = token === '{' || token === '[';
    const isClosing = token === '}' || token === ']';
    const isEmpty = isClosing && /^[{[]$/.test(tokens[index - 1] ?? '');
    const isFilled = isOpening && !/^[}\]]$/.test(tokens[index + 1] ?? '');
    if (isOpening) depth += 1;
    if (isClosing) depth -= 1;
    if (isClosing && !isEmpty) lines += line();
    lines += token === ':' ? ': ' : token;
    if (isFilled || token === ',') lines += line();
  }
  return lines;
}
