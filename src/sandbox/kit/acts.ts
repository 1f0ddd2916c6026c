import { PageError } from '../forms.ts';
import { GraphError } from '../graph/errors.ts';

/** Some kinds are one of the things that are there; `thing` is a post or a comment. */
export type FieldKind =
  | 'page'
  | 'follower'
  | 'owner'
  | 'thing'
  | 'post'
  | 'comment'
  | 'message'
  | 'text'
  | 'long'
  | 'flag'
  | 'number'
  | 'choice';
export type Field = Readonly<{ label: string; kind: FieldKind; optional?: boolean; choices?: readonly string[] }>;

/** What was filled in, by field; empty fields are absent. */
export type Values = Readonly<Record<string, string | undefined>>;

/** Something a person can do on the twin: a form in the console, a call of the control door. */
export type Act = Readonly<{
  group: 'follower' | 'page' | 'owner' | 'twin';
  title: string;
  fields: Readonly<Record<string, Field>>;
  run(values: Values): unknown;
}>;
export type Acts = Readonly<Record<string, Act>>;

const LONGEST = 100_000;

/** Checks what was filled in against the fields of an act and does it. */
export async function doAct(act: Act, input: Readonly<Record<string, unknown>>): Promise<unknown> {
  const unknown = Object.keys(input).filter((name) => !Object.hasOwn(act.fields, name));
  if (unknown.length > 0) throw new PageError(400, `There is no field ${unknown.join(', ').slice(0, 200)}.`);
  const values = Object.fromEntries(
    Object.entries(act.fields).map(([name, field]) => {
      const given = Object.hasOwn(input, name) ? input[name] : undefined;
      const value =
        typeof given === 'string' ? given : Array.isArray(given) ? given.join(',') : (JSON.stringify(given) ?? '');
      if (value === '' && field.optional !== true) throw new PageError(400, `${field.label} is missing.`);
      if (value.length > LONGEST) throw new PageError(400, `${field.label} is too long.`);
      if (value !== '' && field.kind === 'number' && !/^\d{1,12}$/.test(value))
        throw new PageError(400, `${field.label} must be a number.`);
      if (value !== '' && field.choices?.includes(value) === false)
        throw new PageError(400, `${field.label} must be one of ${field.choices.join(', ')}.`);
      return [name, value === '' ? undefined : value];
    }),
  );
  try {
    return await act.run(values);
  } catch (error) {
    // People are held to the platform's rules as well; a refusal is shown as a page.
    if (error instanceof GraphError) throw new PageError(error.status === 404 ? 404 : 400, error.message);
    throw error;
  }
}

/** A field that was checked to be there. */
export const must = (values: Values, name: string): string => values[name] ?? '';

export const isOn = (value: string | undefined): boolean => value === 'true' || value === 'on' || value === '1';
