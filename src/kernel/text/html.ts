import { tableOf } from './table.ts';

/** Markup made by this module, the only values that are not escaped. */
export type Html = Readonly<{ [MARKUP]: string }>;
/** Attributes made by `attributes`, the only values allowed inside a tag besides quoted attribute values. */
export type Attributes = Readonly<{ [ATTRIBUTES]: string }>;
/** Values of a template: markup is kept, arrays are joined, undefined and booleans omitted, the rest is text. */
export type Fill = Html | Attributes | string | number | boolean | undefined | readonly Fill[];

// Symbols cannot occur in JSON, so untrusted data cannot pass as markup.
const MARKUP = Symbol('markup');
const ATTRIBUTES = Symbol('attributes');

/** The position of a value: between tags, inside a tag, or in a quoted attribute (`leads`: at its start). */
type ValuePosition = Readonly<
  { kind: 'text' } | { kind: 'tag' } | { kind: 'value'; attribute: string; leads: boolean }
>;

const ENTITIES: ReadonlyMap<string, string> = tableOf({
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
});
const ADDRESSES: ReadonlySet<string> = new Set(['href', 'src', 'action', 'formaction', 'cite', 'poster']);
const RAW_TEXT = /<(?:script|style|iframe|noscript|template|xmp|math)\b|<!--/i;
const ATTRIBUTE_NAME = /^(?!on|style$)[a-z][a-z-]*$/;
/** The base URL for parsing paths on our own origin. */
const HERE = 'http://here.invalid';

const positionsByTemplate = new WeakMap<TemplateStringsArray, readonly ValuePosition[]>();

/** The template tag of all pages: escapes every value for its position. */
export function html(parts: TemplateStringsArray, ...values: readonly Fill[]): Html {
  let known = positionsByTemplate.get(parts);
  if (known === undefined) positionsByTemplate.set(parts, (known = positionsOf(parts)));
  const filled = values.flatMap((value, at) => [fill(value, known[at]!), parts[at + 1]!]);
  return Object.freeze({ [MARKUP]: [parts[0]!, ...filled].join('') });
}

/** Builds attributes: true writes a name without a value, false and undefined omit the attribute. */
export function attributes(values: Readonly<Record<string, string | boolean | undefined>>): Attributes {
  const written = Object.entries(values).flatMap(([name, value]) => {
    if (!ATTRIBUTE_NAME.test(name)) throw new TypeError(`${name} is not a known attribute`);
    if (value === undefined || value === false) return [];
    if (value === true) return [name];
    return [`${name}="${escape(ADDRESSES.has(name) ? webAddress(value) : value)}"`];
  });
  return Object.freeze({ [ATTRIBUTES]: written.join(' ') });
}

/** A deferred script from our own origin; pages have no inline scripts. */
export function scriptAt(address: string): Html {
  return Object.freeze({ [MARKUP]: `<script src="${escape(webAddress(address))}" defer></script>` });
}

/** A module from our own origin, with its imports preloaded. */
export function moduleAt(address: string, imports: readonly string[]): Html {
  const preloads = imports.map((path) => `<link rel="modulepreload" href="${escape(webAddress(path))}" />`);
  return Object.freeze({
    [MARKUP]: `${preloads.join('')}<script src="${escape(webAddress(address))}" type="module"></script>`,
  });
}

export function markupOf(markup: Html): string {
  return markup[MARKUP];
}

/** A safe URL for a link: http, https or a path on our own origin; otherwise `#`. */
export function webAddress(address: string): string {
  const url = URL.parse(address, HERE);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return '#';
  if (url.origin !== HERE) return url.href;
  const path = url.href.slice(HERE.length);
  // Returns the path as parsed, because `/.//host` as written would lead to another host.
  return address.startsWith('/') && !path.startsWith('//') ? path : '#';
}

function fill(value: Fill, position: ValuePosition): string {
  if (value === undefined || typeof value === 'boolean') return '';
  if (position.kind === 'tag') return attributesIn(value);
  if (position.kind === 'text') return textIn(value);
  if (typeof value === 'object') throw new TypeError(`the attribute ${position.attribute} takes text alone`);
  const text = String(value);
  return escape(leadsAddress(position) ? webAddress(text) : text);
}

function leadsAddress(position: ValuePosition): boolean {
  return position.kind === 'value' && position.leads && ADDRESSES.has(position.attribute);
}

function attributesIn(value: Exclude<Fill, undefined | boolean>): string {
  if (typeof value === 'object' && ATTRIBUTES in value) return value[ATTRIBUTES];
  throw new TypeError('inside a tag only attributes() is allowed');
}

function textIn(value: Fill): string {
  if (value === undefined || typeof value === 'boolean') return '';
  if (typeof value !== 'object') return escape(String(value));
  if (MARKUP in value) return value[MARKUP];
  if (Array.isArray(value)) return value.map(textIn).join('');
  throw new TypeError('this value is not allowed between tags');
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES.get(character)!);
}

/** Finds the position of each value in a template; throws if a value there could not be made safe. */
function positionsOf(parts: TemplateStringsArray): readonly ValuePosition[] {
  if (RAW_TEXT.test(parts.join(''))) throw new TypeError('pages have no scripts, inline styles or comments');
  let position: ValuePosition = { kind: 'text' };
  const found: ValuePosition[] = [];
  for (const [at, part] of parts.entries()) {
    position = walk(part, position);
    if (at === parts.length - 1) break;
    if (position.kind === 'tag' && !(/\s$/.test(part) && /^[\s/>]/.test(parts[at + 1]!))) {
      throw new TypeError('a value inside a tag must be a quoted attribute or stand alone');
    }
    if (leadsAddress(position) && !parts[at + 1]!.startsWith('"')) throw new TypeError('an address is one value');
    found.push(position);
    if (position.kind === 'value') position = { ...position, leads: false };
  }
  if (position.kind !== 'text') throw new TypeError('a template must end between tags');
  return found;
}

function walk(part: string, from: ValuePosition): ValuePosition {
  let position = from;
  for (let at = 0; at < part.length; at++) {
    const character = part[at]!;
    if (position.kind === 'text') {
      if (character === '<') position = { kind: 'tag' };
    } else if (position.kind === 'value') {
      position = character === '"' ? { kind: 'tag' } : { ...position, leads: false };
    } else if (character === '>') {
      position = { kind: 'text' };
    } else if (character === '"') {
      const attribute = /\s([a-z][a-z0-9-]*)=$/i.exec(part.slice(0, at))?.[1];
      if (attribute === undefined || /^on|^style$/i.test(attribute))
        throw new TypeError('this attribute does not take a value');
      position = { kind: 'value', attribute: attribute.toLowerCase(), leads: true };
    } else if (character === "'") {
      throw new TypeError('attributes are written with double quotes');
    }
  }
  return position;
}
