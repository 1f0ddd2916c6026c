import { tableOf } from '#kernel/text/table.ts';

export type Listed = Readonly<{ key: string; changed: number }>;

export type Page = Readonly<{ objects: readonly Listed[]; next: string | undefined }>;

const NAMED: ReadonlyMap<string, string> = tableOf({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" });

/** Parses a page of ListObjectsV2 strictly, so that an unreadable page is not taken for an empty bucket. */
export function readListing(xml: string): Page | undefined {
  if (!/<ListBucketResult[\s>]/.test(xml) || !/<\/ListBucketResult>\s*$/.test(xml)) return undefined;
  const objects: Listed[] = [];
  for (const [, contents = ''] of xml.matchAll(/<Contents>([\s\S]*?)<\/Contents>/g)) {
    const key = textOf(contents, 'Key');
    const changed = Date.parse(textOf(contents, 'LastModified') ?? '');
    if (key === undefined || Number.isNaN(changed)) return undefined;
    objects.push({ key, changed });
  }
  const more = textOf(xml, 'IsTruncated');
  const next = textOf(xml, 'NextContinuationToken');
  if (more === 'false') return { objects, next: undefined };
  return more === 'true' && next ? { objects, next } : undefined;
}

/** The code in an error response, such as NoSuchKey. */
export function errorCode(xml: string): string | undefined {
  const code = textOf(xml, 'Code');
  return code !== undefined && /^\w{1,64}$/.test(code) ? code : undefined;
}

function textOf(xml: string, name: string): string | undefined {
  const found = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml);
  return found?.[1]!.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{2,4}));/gi, (whole, ten, sixteen, name_) => {
    if (typeof name_ === 'string') return NAMED.get(name_) ?? whole;
    const point = ten === undefined ? Number.parseInt(sixteen as string, 16) : Number(ten);
    return point <= 0x10_ffff ? String.fromCodePoint(point) : whole;
  });
}
