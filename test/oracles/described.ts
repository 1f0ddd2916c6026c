import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Exchange } from '../harness/platforms/gate.ts';

type Schema = Readonly<Record<string, unknown>>;

/** What a description says of a call: its query, its body, and the answers to it. */
type Call = Readonly<{ query?: Schema; body?: Schema; bytes?: true; answer?: Schema; refusal?: Schema }>;
type Cut = Readonly<{ calls: Readonly<Record<string, Call>>; schemas: Readonly<Record<string, object>> }>;

/** How a value that came as text is meant. */
type Meant = Readonly<{
  type?: string;
  properties?: Readonly<Record<string, Meant>>;
  items?: Schema;
  comma?: true;
  allOf?: readonly Meant[];
  anyOf?: readonly Meant[];
  $ref?: string;
}>;

/** The names of the calls of a description; what stands in braces fits any part of a path. */
function matcherOf(calls: Cut['calls']) {
  const rows = Object.keys(calls).map((name) => {
    const [verb, path = ''] = name.split(' ');
    const form = path.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replaceAll(/\{\w+\}/g, '[^/]+');
    return { name, verb, form: new RegExp(`^${form}$`) };
  });
  // Those without braces go before those with them.
  rows.sort((a, b) => Number(a.name.includes('{')) - Number(b.name.includes('{')));
  return (verb: string, path: string) => rows.find((row) => row.verb === verb && row.form.test(path))?.name;
}

const jsonIn = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
};

const PART =
  /^\r\nContent-Disposition: form-data; name="(?<name>[^"]*)"(?<file>; filename=)?[^]*?\r\n\r\n(?<text>[^]*)\r\n$/;

type Fields = ReadonlyMap<string, readonly string[]>;

/** The values of each name. */
function fieldsIn(given: URLSearchParams): Fields {
  const fields = Map.groupBy(given, ([name]) => name);
  return new Map([...fields].map(([name, all]) => [name, all.map(([, value]) => value)]));
}

/** The fields of a multipart form; the bytes of files are left out. */
function formIn(body: Uint8Array, type: string): Fields {
  const [, boundary = ''] = /boundary=(\S+)/.exec(type) ?? [];
  const parts = Buffer.from(body).toString('latin1').split(`--${boundary}`);
  const fields = new Map<string, string[]>();
  for (const part of parts) {
    const { name, file, text = '' } = PART.exec(part)?.groups ?? {};
    if (name === undefined) continue;
    // A file that a field names is described by it.
    if (file !== undefined && parts.some((one) => one.includes(`"attach://${name}"`))) continue;
    const given = file === undefined ? Buffer.from(text, 'latin1').toString() : 'a file';
    fields.set(name, [...(fields.get(name) ?? []), given]);
  }
  return fields;
}

/**
 * Opens a description that a platform has published, as it was cut into a file of this folder: its calls by verb and
 * path, as JSON schemas that allow no other members. What it answers says what it has against an exchange, undefined for
 * what is none of its calls; `pathOf` is the path of a request as the description has it, undefined for the same.
 */
export function openDescription(file: `${string}.json`, pathOf: (url: URL) => string | undefined) {
  const { calls, schemas } = JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')) as Cut;
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema({ $id: 'cut', components: { schemas } });
  const inCut = (schema: Schema): Schema =>
    JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"cut#/components')) as Schema;
  const validators = new Map<Schema, ReturnType<typeof ajv.compile>>();
  const callNamed = matcherOf(calls);

  function flawsOf(place: string, schema: Schema | undefined, value: unknown): readonly string[] {
    if (schema === undefined) return [];
    const validate = validators.get(schema) ?? ajv.compile(inCut(schema));
    validators.set(schema, validate);
    if (validate(value)) return [];
    return validate.errors!.map(({ instancePath, message, params }) => {
      const { additionalProperty = '', unevaluatedProperty = additionalProperty } = params as Record<string, string>;
      return `${place}${instancePath} ${message} ${unevaluatedProperty}`.trim();
    });
  }

  /** The schema behind a reference. */
  const meant = ({ $ref, ...bare }: Meant): Meant =>
    $ref === undefined ? bare : meant(schemas[$ref.split('/').at(-1)!] ?? {});

  function read(schema: Meant, [first = '', ...more]: readonly string[]): unknown {
    const { type, items = {}, comma, anyOf = [] } = meant(schema);
    if (type === 'array' && comma) return first.split(',').map((one) => read(items, [one]));
    if (type === 'array' && !first.startsWith('[')) return [first, ...more].map((one) => read(items, [one]));
    const isText = [type, ...anyOf.map((one) => meant(one).type)].includes('string');
    return isText ? first : jsonIn(first);
  }

  /** The members that a schema names, wherever in it. */
  function membersOf(schema: Meant): Readonly<Record<string, Meant>> {
    const { properties, allOf = [], anyOf = [] } = meant(schema);
    return Object.assign({}, ...[...allOf, ...anyOf].map(membersOf), properties) as Readonly<Record<string, Meant>>;
  }

  function valuesOf(schema: Meant, fields: Fields) {
    const known = membersOf(schema);
    return Object.fromEntries([...fields].map(([name, given]) => [name, read(known[name] ?? {}, given)]));
  }

  function bodyIn(exchange: Exchange, schema: Meant): unknown {
    const { body, type } = exchange;
    if (type.includes('json')) return jsonIn(Buffer.from(body).toString());
    if (body.length === 0) return {};
    const isForm = type.includes('urlencoded');
    return valuesOf(schema, isForm ? fieldsIn(new URLSearchParams(Buffer.from(body).toString())) : formIn(body, type));
  }

  return function flaws(exchange: Exchange): readonly string[] | undefined {
    const { method, url, answer } = exchange;
    const path = pathOf(url);
    if (path === undefined) return undefined;
    const name = callNamed(method, path);
    if (name === undefined) return [`${method} ${path} is in no description`];
    const { query = { type: 'object', additionalProperties: false }, body, bytes, ...call } = calls[name]!;
    // An empty object says nothing.
    const isBodyFine =
      body !== undefined || bytes === true || ['', '{}'].includes(Buffer.from(exchange.body).toString());
    const said = [
      ...flawsOf('?', query, valuesOf(query, fieldsIn(url.searchParams))),
      ...(body === undefined ? [] : flawsOf('', body, bodyIn(exchange, body))),
      ...(isBodyFine ? [] : ['must NOT have a body']),
    ];
    if (answer === undefined) return said.map((flaw) => `${name}: ${flaw}`);
    const isDone = answer.status < 300;
    const back = flawsOf('', isDone ? call.answer : call.refusal, jsonIn(answer.body));
    return [
      ...said.map((flaw) => `${name}: ${flaw}`),
      ...back.map((flaw) => `${name} answers ${answer.status}: ${flaw}`),
    ];
  };
}
