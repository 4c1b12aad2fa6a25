/** Strings, what separates, and everything else. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Deeper than any reply; beyond it the lines are indented no more. */
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
 * JSON with a line for each field, every number and text as it was written: nothing is read and written
 * again. What is no JSON, such as a page of HTML or a body that was cut, stays as it is.
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
