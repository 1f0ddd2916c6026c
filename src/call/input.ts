import { z } from 'zod';
import { detail } from './detail.ts';
import type { AnyTool } from './tool.ts';

/** Where a call comes from; HTML pages count as REST. */
export type Facade = 'rest' | 'mcp';

const owned = z.registry<{ facade: Facade }>();

/** A field of one facade alone; for calls through the other, `run` receives nothing. */
export function onlyIn<T extends z.ZodType>(facade: Facade, field: T): z.ZodOptional<T> {
  const either = z.optional(field);
  owned.add(either, { facade });
  return either;
}

const others = new WeakMap<z.ZodType, z.ZodType>();

/** A copy of a field for which assistants get `other`, whose output has the same type. */
export function otherForAssistants<T extends z.ZodType>(field: T, other: z.ZodType): T {
  const own = field.clone();
  others.set(own, other);
  return own;
}

type NamesFor = (input: Readonly<Record<string, unknown>>) => readonly string[];

const closed = z.registry<{ namesFor: NamesFor }>();

/** An object that REST leaves open, but for which assistants may use only names that the input determines. */
export function closedToAssistants<T extends z.ZodType>(field: T, namesFor: NamesFor): T {
  closed.add(field, { namesFor });
  return field;
}

/** The names that assistants may use in an otherwise open object; undefined allows any. */
export const namesForAssistants = (field: z.core.$ZodType): NamesFor | undefined => closed.get(field)?.namesFor;

const inputs = { rest: new WeakMap<AnyTool, z.ZodObject>(), mcp: new WeakMap<AnyTool, z.ZodObject>() };

export function inputOf(tool: AnyTool, facade: Facade): z.ZodObject {
  const known = inputs[facade].get(tool);
  if (known !== undefined) return known;
  const fields: Record<string, z.ZodType> = {};
  for (const [name, field] of Object.entries((tool.input as z.ZodObject).shape) as [string, z.ZodType][]) {
    const only = facadeOf(field);
    if (only === undefined) fields[name] = (facade === 'mcp' && others.get(field)) || field;
    else if (only === facade) fields[name] = (field as z.ZodOptional<z.ZodType>).unwrap();
  }
  if (facade === 'mcp' && tool.brief !== undefined) fields['detail'] = detail;
  const made = z.object(fields);
  inputs[facade].set(tool, made);
  return made;
}

/** The parsed input without `detail`, which the operation itself does not use. */
export function withoutDetail({ brief }: AnyTool, parsed: unknown): unknown {
  if (brief === undefined) return parsed;
  const { detail: _, ...rest } = parsed as { detail?: unknown };
  return rest;
}

export function facadeOf(field: z.ZodType): Facade | undefined {
  return owned.get(field)?.facade;
}
