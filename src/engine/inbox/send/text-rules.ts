import { fail } from '../../../kernel/errors.ts';
import { lengthOf } from '../../../kernel/text/length.ts';
import type { TextRule } from '../../../platforms/sending.ts';

/** Refuses a text that is longer than the platform takes. */
export function refuseLong(text: string, { max, counting }: TextRule, field = 'text'): void {
  const length = lengthOf(text, counting);
  if (length <= max) return;
  const unit = counting === 'bytes' ? 'byte' : 'character';
  fail('validation.field_invalid', {
    message: `${field} exceeds ${max} ${unit} limit (${length}/${max})`,
    meta: { field },
  });
}
