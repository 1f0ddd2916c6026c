import { fail } from '#kernel/errors.ts';
import { textsIn } from '#kernel/text/pointers.ts';

/** Replaces texts of an input; refuses pointers to anything but existing texts. */
export function applyEdits(input: object, edits: Readonly<Record<string, string>>): object {
  const known = new Set(textsIn(input).map(([pointer]) => pointer));
  const edited = structuredClone(input);
  for (const [pointer, text] of Object.entries(edits)) {
    if (!known.has(pointer)) {
      fail('validation.field_invalid', {
        message: `edits: there is no text at ${pointer}. Only existing texts can be changed.`,
        meta: { field: 'edits' },
      });
    }
    const names = pointer.slice(1).split('/');
    const last = names.pop()!;
    const place = names.reduce<unknown>((inside, name) => (inside as Record<string, unknown>)[name], edited);
    (place as Record<string, unknown>)[last] = text;
  }
  return edited;
}
