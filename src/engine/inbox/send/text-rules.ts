import { fail } from '#kernel/errors.ts';
import { excessesOf } from '#kernel/text/length.ts';
import type { TextRule } from '#platforms/sending.ts';

export function refuseLong(text: string, rule: TextRule, field = 'text'): void {
  const [excess] = excessesOf(text, rule);
  if (excess !== undefined) fail('validation.field_invalid', { message: `${field} ${excess}`, meta: { field } });
}
