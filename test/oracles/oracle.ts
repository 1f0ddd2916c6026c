import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

type Cut = Readonly<{ schemas: Readonly<Record<string, object>> }>;

/**
 * Opens the schemas that a platform has published, as they were cut into a file of this folder. `flawsOf` says what they
 * have against a value; there is nothing to say against one that holds. Members a schema does not name are let through.
 */
export function openOracle<Name extends string>(file: `${string}.json`) {
  const { schemas } = JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')) as Cut;
  // Published files have keywords of their own, and formats that are only words.
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  const validators = new Map<string, ValidateFunction>();
  for (const [name, schema] of Object.entries(schemas)) {
    validators.set(name, ajv.compile({ ...schema, components: { schemas } }));
  }
  return Object.freeze({
    flawsOf(name: Name, value: unknown): readonly string[] {
      const validate = validators.get(name);
      if (validate === undefined) throw new Error(`${file} has no schema ${name}`);
      return validate(value) ? [] : validate.errors!.map(({ instancePath, message }) => `${instancePath} ${message}`);
    },
  });
}
