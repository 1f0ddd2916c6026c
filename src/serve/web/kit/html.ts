/** Markup that this module made; everything else is text and is escaped. */
export type Html = Readonly<{ [MARKUP]: string }>;
/** Attributes made by `attributes`; the only thing that may be put inside a tag besides quoted values. */
export type Attributes = Readonly<{ [ATTRIBUTES]: string }>;
/** What the template takes: markup stays, arrays are joined, absent values and booleans vanish, the rest is text. */
export type Fill = Html | Attributes | string | number | boolean | undefined | readonly Fill[];

// Symbols, so that no JSON a stranger stored can pass for finished markup.
const MARKUP = Symbol('markup');
const ATTRIBUTES = Symbol('attributes');

/** Where a value stands: between tags, inside a tag, or in a quoted attribute (`leads`: as its very first part). */
type Place = Readonly<{ kind: 'text' } | { kind: 'tag' } | { kind: 'value'; attribute: string; leads: boolean }>;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const ADDRESSES: ReadonlySet<string> = new Set(['href', 'src', 'action', 'formaction', 'cite', 'poster']);
const RAW_TEXT = /<(?:script|style|textarea|iframe|noscript|template|xmp|svg|math)\b|<!--/i;
const ATTRIBUTE_NAME = /^(?!on|style$)[a-z][a-z-]*$/;
/** Stands in for our own origin while an address is read. */
const HERE = 'http://here.invalid';

const places = new WeakMap<TemplateStringsArray, readonly Place[]>();

/** The template tag of all pages: escapes every value for the place it stands in. */
export function html(parts: TemplateStringsArray, ...values: readonly Fill[]): Html {
  let known = places.get(parts);
  if (known === undefined) places.set(parts, (known = placesOf(parts)));
  const filled = values.flatMap((value, at) => [fill(value, known[at]!), parts[at + 1]!]);
  return Object.freeze({ [MARKUP]: [parts[0]!, ...filled].join('') });
}

/** Attributes whose presence or number depends on data: true is a bare name, false and undefined are left out. */
export function attributes(values: Readonly<Record<string, string | boolean | undefined>>): Attributes {
  const written = Object.entries(values).flatMap(([name, value]) => {
    if (!ATTRIBUTE_NAME.test(name)) throw new TypeError(`${name} is no attribute of a page`);
    if (value === undefined || value === false) return [];
    if (value === true) return [name];
    return [`${name}="${escape(ADDRESSES.has(name) ? webAddress(value) : value)}"`];
  });
  return Object.freeze({ [ATTRIBUTES]: written.join(' ') });
}

/** The characters of finished markup. */
export function markupOf(markup: Html): string {
  return markup[MARKUP];
}

/** An address a link may have: http, https, or a path on our own origin; `#` for all others, such as `javascript:`. */
export function webAddress(address: string): string {
  const url = URL.parse(address, HERE);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return '#';
  if (url.origin !== HERE) return url.href;
  const path = url.href.slice(HERE.length);
  // What is written is what was parsed: `/.//host` would otherwise come out as the address of another host.
  return address.startsWith('/') && !path.startsWith('//') ? path : '#';
}

function fill(value: Fill, place: Place): string {
  if (value === undefined || typeof value === 'boolean') return '';
  if (place.kind === 'tag') return attributesIn(value);
  if (place.kind === 'text') return textIn(value);
  if (typeof value === 'object') throw new TypeError(`the attribute ${place.attribute} takes text alone`);
  const text = String(value);
  return escape(leadsAddress(place) ? webAddress(text) : text);
}

function leadsAddress(place: Place): boolean {
  return place.kind === 'value' && place.leads && ADDRESSES.has(place.attribute);
}

function attributesIn(value: Exclude<Fill, undefined | boolean>): string {
  if (typeof value === 'object' && ATTRIBUTES in value) return value[ATTRIBUTES];
  throw new TypeError('inside a tag only attributes() may stand');
}

function textIn(value: Fill): string {
  if (value === undefined || typeof value === 'boolean') return '';
  if (typeof value !== 'object') return escape(String(value));
  if (MARKUP in value) return value[MARKUP];
  if (Array.isArray(value)) return value.map(textIn).join('');
  throw new TypeError('this may not stand between tags');
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

/** Reads the literal parts once per template; a place that cannot be made safe is a mistake in the template. */
function placesOf(parts: TemplateStringsArray): readonly Place[] {
  if (RAW_TEXT.test(parts.join(''))) throw new TypeError('pages have no scripts, inline styles or comments');
  let place: Place = { kind: 'text' };
  const found: Place[] = [];
  for (const [at, part] of parts.entries()) {
    place = walk(part, place);
    if (at === parts.length - 1) break;
    if (place.kind === 'tag' && !(/\s$/.test(part) && /^[\s/>]/.test(parts[at + 1]!))) {
      throw new TypeError('a value inside a tag must be a quoted attribute or stand alone');
    }
    if (leadsAddress(place) && !parts[at + 1]!.startsWith('"')) throw new TypeError('an address is one value');
    found.push(place);
    if (place.kind === 'value') place = { ...place, leads: false };
  }
  if (place.kind !== 'text') throw new TypeError('a template must end between tags');
  return found;
}

function walk(part: string, from: Place): Place {
  let place = from;
  for (let at = 0; at < part.length; at++) {
    const character = part[at]!;
    if (place.kind === 'text') {
      if (character === '<') place = { kind: 'tag' };
    } else if (place.kind === 'value') {
      place = character === '"' ? { kind: 'tag' } : { ...place, leads: false };
    } else if (character === '>') {
      place = { kind: 'text' };
    } else if (character === '"') {
      const attribute = /\s([a-z][a-z-]*)=$/i.exec(part.slice(0, at))?.[1];
      if (attribute === undefined || /^on|^style$/i.test(attribute))
        throw new TypeError('this is no attribute for a value');
      place = { kind: 'value', attribute: attribute.toLowerCase(), leads: true };
    } else if (character === "'") {
      throw new TypeError('attributes are written with double quotes');
    }
  }
  return place;
}
