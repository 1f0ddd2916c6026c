import { isCidr } from '../net/addresses.ts';
import { isPlatform, type PlatformSlug } from '../platforms.ts';
import { PLANS, type PlanPlatforms } from '../plans.ts';

/** Parses the value of a setting; `wrong` fails the start with a line that names the setting and the reason. */
export type Parse<T> = (value: string, wrong: (why: string) => never) => T;

export const list: Parse<readonly string[]> = (value) =>
  Object.freeze(
    value
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  );

export const url: Parse<string> = (value, wrong) => {
  if (!URL.canParse(value) || !/^https?:/.test(value)) wrong('must be an http(s) URL');
  return value.replace(/\/+$/, '');
};

/** The URL of a page for people, kept as written. */
export const pageUrl: Parse<string> = (value, wrong) => {
  const parsed = URL.canParse(value) ? new URL(value) : undefined;
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.username !== '') return wrong('must be an http(s) URL');
  return value;
};

/** A URL without path, query or user, parsed to its origin. */
export const origin: Parse<string> = (value, wrong) => {
  const parsed = URL.canParse(value) ? new URL(value) : undefined;
  const plain = parsed && parsed.pathname === '/' && !parsed.search && !parsed.hash && !parsed.username;
  if (!parsed || !plain || !/^https?:$/.test(parsed.protocol)) {
    return wrong('must be an http(s) origin such as https://social.example.org');
  }
  return parsed.origin;
};

/** The same, https only. */
export const httpsOrigin: Parse<string> = (value, wrong) =>
  value.startsWith('https:')
    ? origin(value, wrong)
    : wrong('must be an https origin such as https://media.example.org');

export const flag: Parse<boolean> = (value, wrong) => {
  if (value !== 'on' && value !== 'off') wrong('must be on or off');
  return value === 'on';
};

const UNITS = Object.freeze({ s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 });

/** A duration such as 90m, parsed to milliseconds. */
export const duration: Parse<number> = (value, wrong) => {
  const match = /^(\d{1,6})([smhd])$/.exec(value) ?? wrong('must look like 90m, 6h or 2d');
  const ms = Number(match[1]) * UNITS[match[2] as keyof typeof UNITS];
  return ms > 0 ? ms : wrong('must be longer than 0, such as 90m, 6h or 2d');
};

export function integer(min: number, max: number, why: string): Parse<number> {
  return (value, wrong) => {
    const number = Number(value);
    return /^\d+$/.test(value) && number >= min && number <= max ? number : wrong(why);
  };
}

export function oneOf<T extends string>(allowed: readonly T[]): Parse<T> {
  return (value, wrong) =>
    allowed.find((one) => one === value) ?? wrong(`must be ${allowed.slice(0, -1).join(', ')} or ${allowed.at(-1)}`);
}

export function matching(pattern: RegExp, why: string): Parse<string> {
  return (value, wrong) => (pattern.test(value) ? value : wrong(why));
}

export const hostNames: Parse<readonly string[]> = (value, wrong) => {
  const names = list(value.toLowerCase(), wrong);
  for (const name of names) {
    const parsed = URL.canParse(`http://${name}`) && new URL(`http://${name}`).host;
    // URL hosts may contain "*" and other characters that are invalid in host names and would match nothing here.
    if (!parsed || !/^[\w.:[\]-]+$/.test(name) || (parsed !== name && `${parsed}:80` !== name)) {
      wrong('must be host names, with a port where they have one: app.example.org, 10.0.0.5:8080');
    }
  }
  return names;
};

/** Parses `<plan>=<platform> <platform>`, separated by commas. */
export const planPlatforms: Parse<PlanPlatforms> = (value, wrong) => {
  const plans = list(value, wrong).map((part): [string, readonly PlatformSlug[]] => {
    const [tier = '', slugs] = part.split(/\s*=\s*/, 2);
    if (!Object.hasOwn(PLANS, tier)) wrong(`must name plans; ${tier || part} is not one: <plan>=<platform> <platform>`);
    const named = slugs?.split(/\s+/).filter(Boolean) ?? [];
    if (named.length === 0) wrong(`must say which platforms ${tier} includes: <plan>=<platform> <platform>`);
    const unknown = named.find((slug) => !isPlatform(slug));
    if (unknown !== undefined) wrong(`must name platforms; ${unknown} is not one`);
    return [tier, named.filter(isPlatform)];
  });
  return Object.freeze(Object.fromEntries(plans));
};

/** Parses ids of users, separated by commas. */
export const userIds: Parse<ReadonlySet<string>> = (value, wrong) => {
  const ids = list(value, wrong);
  if (!ids.every((id) => /^usr_\w+$/.test(id))) wrong('must be ids of users such as usr_…, as get_me returns them');
  return new Set(ids);
};

/** Parses `<name>=<address>`, separated by commas. */
export const namedUrls: Parse<Readonly<Record<string, string>>> = (value, wrong) =>
  Object.freeze(
    Object.fromEntries(
      list(value, wrong).map((part) => {
        const [, name, address] = /^([a-z_]+)\s*=\s*(\S+)$/.exec(part) ?? wrong('must be <name>=<http(s) URL>');
        return [name!, url(address!, wrong)];
      }),
    ),
  );

export const headerPrefixes: Parse<readonly string[]> = (value, wrong) => {
  const prefixes = list(value, wrong);
  if (prefixes.length === 0 || prefixes.some((prefix) => !/^[A-Za-z0-9-]{1,40}$/.test(prefix))) {
    wrong('must be header name prefixes separated by commas');
  }
  return prefixes;
};

export const masterKeys: Parse<readonly string[]> = (value, wrong) => {
  const keys = list(value, wrong);
  if (!keys.every((key) => /^[0-9a-f]{64}$/i.test(key))) {
    wrong('must be 64 hex characters each (openssl rand -hex 32)');
  }
  return keys;
};

export const databaseUrl: Parse<string> = (value, wrong) => {
  if (/^postgres(ql)?:\/\//.test(value) && URL.canParse(value)) return value;
  return wrong('must be a postgres:// address with its password percent-encoded (leave it out for SQLite)');
};

const SITE_FILE = /^[a-z][\w-]{6,100}\.(?:html|txt)$/;

/** Parses `name=content`, separated by commas. */
export const siteFiles: Parse<ReadonlyMap<string, string>> = (value, wrong) => {
  // A comma within a content is recognizable because no file name follows it.
  const parts = value.split(/,(?=\s*[\w-]+\.(?:html|txt)=)/).map((part) => part.trim());
  const files = parts.map((part): [string, string] => {
    const [name = '', ...content] = part.split('=');
    if (!SITE_FILE.test(name))
      wrong('must be name=content with the name of a .html or .txt file, as the platform gave it');
    if (content.join('=').trim() === '') wrong(`has no content for ${name}`);
    return [name, content.join('=').trim()];
  });
  return new Map(files);
};

/** The private addresses that may be called: none, all, or the listed ranges. */
export const privateNetwork: Parse<'off' | 'on' | readonly string[]> = (value, wrong) => {
  if (value === 'on' || value === 'off') return value;
  const ranges = list(value, wrong);
  if (!ranges.every(isCidr)) wrong('must be on, off or address ranges such as 10.0.0.0/8');
  return ranges;
};

/** A word that any client can send in a header. */
export const HEADER_WORD = matching(/^[!-~]+$/, 'must be ASCII letters, digits and punctuation, without spaces');
export const BUCKET = matching(/^\w[\w.-]{1,61}\w$/, 'must be the name of a bucket');
export const REGION = matching(/^[\w-]{1,63}$/, 'must be the name of a region, such as us-east-1');

/** Stripe's formats of an API key, of a webhook secret and of a price id. */
export const SECRET_KEY = matching(
  /^(?:sk|rk)_(?:test|live)_\w{8,}$/,
  'must be a secret or restricted key (sk_… or rk_…)',
);
export const SIGNING_SECRET = matching(
  /^whsec_[\w+/=]{8,}$/,
  'must be the signing secret of a webhook endpoint (whsec_…)',
);
export const PRICE_ID = matching(/^price_\w+$/, 'must be the id of a price (price_…)');
