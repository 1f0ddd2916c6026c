/** The client's preference for a media type, from 0 to 1. The most specific range counts (RFC 9110 § 12.5.1). */
function qualityOf(ranges: ReadonlyMap<string, number>, type: string): number {
  const [group = ''] = type.split('/');
  return ranges.get(type) ?? ranges.get(`${group}/*`) ?? ranges.get('*/*') ?? 0;
}

/** Whether a client prefers a page to JSON, as browsers do when they open an address. A wildcard is no preference. */
export function prefersPage(accept: string | undefined): boolean {
  if (accept === undefined || !/html|text\/\*/i.test(accept)) return false;
  const ranges = new Map<string, number>();
  for (const range of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    const weight = parameters.find((one) => one.startsWith('q='))?.slice(2);
    const quality = weight === undefined ? 1 : Number(weight);
    if (quality >= 0 && quality <= 1) ranges.set(type, quality);
  }
  return qualityOf(ranges, 'text/html') > qualityOf(ranges, 'application/json');
}
