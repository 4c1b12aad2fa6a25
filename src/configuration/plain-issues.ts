import type { z } from 'zod';

/** Zod's message for a value that fits none of several forms, if the schema has no message of its own. */
const SAYS_NOTHING = 'Invalid input';

/**
 * An issue as ones that say something: of a value that may have several forms, what is wrong with the form
 * that it has; where it has none of them, what each of them expects.
 */
export function plainIssues(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union' || issue.message !== SAYS_NOTHING) return [issue];
  const forms = issue.errors.map((inner) => inner.flatMap(plainIssues));
  const [own, ...others] = forms.filter((inner) => !inner.some(isOfAnotherForm));
  if (own !== undefined && others.length === 0)
    return own.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
  const expected = [...new Set(forms.flatMap((inner) => inner.map(({ message }) => message)))];
  return [{ ...issue, message: expected.join('; or ') }];
}

function isOfAnotherForm({ code, path }: z.core.$ZodIssue): boolean {
  return path.length === 0 && (code === 'invalid_type' || code === 'invalid_union');
}
