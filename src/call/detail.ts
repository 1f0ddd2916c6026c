import { z } from 'zod';
import { cut } from '#kernel/text/length.ts';

/** How much assistants receive. */
export const detail = z.enum(['brief', 'full']).default('brief').describe('full: every field.');

/** How an operation shortens its response for assistants that do not ask for `detail: full`. */
export type Brief = Readonly<{
  output: z.ZodObject;
  /** Makes the brief response from the full one. */
  // oxlint-disable-next-line typescript/no-explicit-any -- each operation knows its own answer
  of(answer: any): object;
}>;

type Item<O extends z.ZodObject, L extends keyof O['shape']> =
  O['shape'][L] extends z.ZodArray<infer I extends z.ZodObject> ? I : never;

/** The fields of a list item in brief. */
type Shown<I extends z.ZodObject, S extends z.ZodRawShape> = Readonly<{
  fields: readonly (keyof I['shape'] & string)[];
  /** The field that is cut to fit. */
  text?: keyof I['shape'] & string;
  /** Fields that replace or supplement others. */
  made?: Readonly<{ shape: S; of: (item: z.output<I>) => z.input<z.ZodObject<S>> }>;
}>;

/** Text lengths in lists: the first that keeps the list within `MOST_CHARACTERS`, else the last. */
const LENGTHS = [200, 120, 60, 30] as const;
const MOST_CHARACTERS = 7_600;

/** An answer whose list `name` has brief items. */
export function briefList<O extends z.ZodObject, L extends keyof O['shape'] & string, S extends z.ZodRawShape>(
  output: O,
  name: L,
  { fields, text, made }: Shown<Item<O, L>, S>,
): Brief {
  const { shape } = (output.shape[name] as z.ZodArray<Item<O, L>>).element;
  // In a brief list, an item keeps its own values even if the surrounding record repeats them.
  const own = fields.map((field) => [
    field,
    (shape[field] as z.ZodType).meta({ alias_of: undefined, minor: undefined }),
  ]);
  const item = z.object({ ...(Object.fromEntries(own) as z.ZodRawShape), ...made?.shape });
  const inBrief = (whole: z.output<Item<O, L>>): Readonly<Record<string, unknown>> => {
    const members = fields.map((field) => [field, (whole as Readonly<Record<string, unknown>>)[field]] as const);
    return { ...Object.fromEntries(members), ...made?.of(whole) };
  };
  const fitting = (items: readonly z.output<Item<O, L>>[]) => {
    const list = items.map(inBrief);
    return text === undefined ? list : withTexts(list, text);
  };
  return Object.freeze({
    output: output.extend({ [name]: z.array(item) }),
    of: (answer: Readonly<Record<string, readonly z.output<Item<O, L>>[]>>) => ({
      ...answer,
      [name]: fitting(answer[name]!),
    }),
  });
}

/** Cuts the texts of one field to what the list has room for. */
function withTexts(items: readonly Readonly<Record<string, unknown>>[], field: string): readonly object[] {
  const sizeOf = (value: unknown) => JSON.stringify(value).length;
  const texts = items.map((item) => (item[field] ?? null) as string | null);
  const others = sizeOf(items.map((item) => ({ ...item, [field]: '' })));
  const cutTo = (length: number) => texts.map((text) => text && cut(text, length, '…'));
  const fits = (length: number) => others + sizeOf(cutTo(length).join('')) <= MOST_CHARACTERS;
  const shown = cutTo(LENGTHS.find(fits) ?? LENGTHS.at(-1)!);
  return items.map((item, at) => ({ ...item, [field]: shown[at] }));
}
