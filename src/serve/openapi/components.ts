import { isDeepStrictEqual } from 'node:util';
import type { JsonSchema } from '../schema.ts';

/** The parts of a document that are defined once and referenced elsewhere. */
export type Components = Record<'schemas' | 'responses' | 'parameters' | 'headers', Record<string, object>>;

/** A reference to a component. */
export const refTo = (kind: keyof Components, name: string) => ({ $ref: `#/components/${kind}/${name}` });

/** Marks an object without listed fields as open; code generators would treat it as empty. */
function opened(schema: JsonSchema): JsonSchema {
  const { type, properties, additionalProperties } = schema;
  const isOpen =
    [type].flat().includes('object') &&
    Object.keys(properties ?? {}).length === 0 &&
    additionalProperties === undefined;
  return isOpen ? { ...schema, additionalProperties: true } : schema;
}

/** Moves a schema's named parts and its definitions to the components of the document. */
export function hoist(schema: JsonSchema, owner: string, { schemas }: Components): JsonSchema {
  const nameOf = (name: string) => (name.startsWith('__') ? owner + name : name);

  function keep(name: string, definition: JsonSchema): void {
    const known = schemas[name];
    if (known !== undefined && !isDeepStrictEqual(known, definition)) {
      throw new Error(`${owner}: there are two schemas ${name}`);
    }
    schemas[name] = definition;
  }

  function moved(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(moved);
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value as JsonSchema).flatMap(([keyword, inner]): [string, unknown][] => {
      switch (keyword) {
        case '$ref':
          return [[keyword, refTo('schemas', nameOf((inner as string).replace('#/$defs/', ''))).$ref]];
        case 'properties':
          // The keys below are names of fields, not keywords.
          return [[keyword, mapped(inner as JsonSchema)]];
        case 'alias_of':
          return 'description' in value ? [] : [['description', `Another name of ${inner as string}.`]];
        case '$defs':
        case 'minor':
        case 'untrusted':
        case 'inherits':
        case 'shown_as':
          return [];
        default:
          return [[keyword, moved(inner)]];
      }
    });
    return referring(opened(Object.fromEntries(members)));
  }

  const mapped = (fields: JsonSchema): JsonSchema =>
    Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, moved(field)]));

  /** The schema itself, or a reference to it if it has a name. */
  function referring({ component, description, ...definition }: JsonSchema): JsonSchema {
    const about = description !== undefined && { description };
    if (typeof component !== 'string') return { ...about, ...definition };
    const isNullable = Array.isArray(definition['type']);
    keep(component, isNullable ? { ...definition, type: 'object' } : definition);
    const reference = refTo('schemas', component);
    return { ...(isNullable ? { anyOf: [reference, { type: 'null' }] } : reference), ...about };
  }

  for (const [name, definition] of Object.entries((schema['$defs'] ?? {}) as Record<string, JsonSchema>)) {
    keep(nameOf(name), moved(definition) as JsonSchema);
  }
  return moved(schema) as JsonSchema;
}
