import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import { boundedMap } from '../limits/bounded-map.ts';

type Address = ReturnType<typeof ipaddr.parse>;
type Range = ReturnType<typeof ipaddr.parseCIDR>;

/** `on` allows every private range, a list allows its CIDRs; cloud metadata addresses are never allowed. */
export type AllowPrivate = 'off' | 'on' | readonly string[];

export type Guard = Readonly<{
  /** Whether this address and port must not be dialled; true for anything that is not an address. */
  refuses(address: string, port: number): boolean;
}>;

const REMEMBERED = 1000;

/** All ranges that do not belong to the public internet. */
const DENIED = parseRanges([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/96',
  '::ffff:0:0/96',
  '::ffff:0:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
]);

/** Ranges in which clouds offer the machine's credentials; no setting allows these. */
const NEVER = parseRanges([
  '169.254.0.0/16',
  '100.100.100.200/32',
  '192.0.0.192/32',
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
]);

/** IPv6 ranges that contain an embedded IPv4 address, with the byte at which it starts. */
const WRAPPERS = Object.freeze([
  ['::/96', 12],
  ['::ffff:0:0/96', 12],
  ['::ffff:0:0:0/96', 12],
  ['64:ff9b::/96', 12],
  ['2002::/16', 2],
] as const).map(([range, start]) => ({ range: ipaddr.parseCIDR(range), start }));

/** Whether an address is outside the public internet; anything that is not an address counts as private. */
export const isPrivateAddress = remembering((address) => {
  const parsed = parseAddress(address);
  return !parsed || inRanges(parsed, DENIED);
});

/** Makes the guard for addresses from outside; `ownPort` is the server's port, refused on all its own addresses. */
export function makeGuard(allowPrivate: AllowPrivate, ownPort: () => number | undefined): Guard {
  const opened = Array.isArray(allowPrivate) ? parseRanges(allowPrivate as readonly string[]) : [];
  const isClosed = remembering((address) => {
    const parsed = parseAddress(address);
    if (!parsed || formsOf(parsed).some((form) => inRanges(form, NEVER))) return true;
    return allowPrivate !== 'on' && inRanges(parsed, DENIED) && !inRanges(parsed, opened);
  });

  return Object.freeze({
    refuses: (address: string, port: number) =>
      isClosed(address) || (port === ownPort() && formsOf(parseAddress(address)!).some(isOurs)),
  });
}

/** Whether a host can be refused without DNS, because it is a refused address or a loopback name. */
export function isGivenHostRefused(url: URL, guard: Guard): boolean {
  const known = addressesOfHost(url.hostname);
  return known !== undefined && known.some((address) => guard.refuses(address, portOf(url)));
}

/** The addresses of a host that is an address or a `localhost` name; undefined for other names. */
export function addressesOfHost(hostname: string): readonly string[] | undefined {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  if (isIP(bare)) return [bare];
  const name = bare.endsWith('.') ? bare.slice(0, -1) : bare;
  return name === 'localhost' || name.endsWith('.localhost') ? ['127.0.0.1', '::1'] : undefined;
}

export function isLoopbackName(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
}

/** Whether only this machine can reach an origin. */
export function isLoopback(origin: string): boolean {
  return URL.canParse(origin) && isLoopbackName(new URL(origin).hostname);
}

/** Whether a URL is https and its host name looks public. */
export function isPublicUrl(address: string): boolean {
  const url = URL.parse(address);
  if (url?.protocol !== 'https:') return false;
  const known = addressesOfHost(url.hostname);
  if (known !== undefined) return !known.some(isPrivateAddress);
  return url.hostname.includes('.') && !/\.(?:local|internal|lan|home\.arpa)\.?$/.test(url.hostname);
}

/** Whether a URL can be called at all; false for other protocols, port 0 and empty labels in the host. */
export function isCallable({ protocol, hostname, port }: URL): boolean {
  const labels = hostname.replace(/\.$/, '').split('.');
  return (protocol === 'https:' || protocol === 'http:') && port !== '0' && !labels.includes('');
}

export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}

/** Whether a text is a range such as 10.0.0.0/8 or fd00::/8. */
export function isCidr(text: string): boolean {
  return ipaddr.isValidCIDR(text) && isIP(text.slice(0, text.indexOf('/'))) !== 0;
}

/** The network of an address for rate limits: the /48 of an IPv6 address, or the IPv4 address itself. */
export function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return 'unknown';
  const address = ipaddr.process(ip);
  return address.kind() === 'ipv6'
    ? Buffer.from(address.toByteArray().slice(0, 6)).toString('hex')
    : address.toString();
}

/** The usual form of an address; an IPv4 address that a socket reports as IPv6 is converted back. */
export function plainAddress(ip: string): string {
  return ipaddr.isValid(ip) ? ipaddr.process(ip).toString() : 'unknown';
}

function parseRanges(ranges: readonly string[]): readonly Range[] {
  return Object.freeze(ranges.map((range) => ipaddr.parseCIDR(range)));
}

/** Caches the results of a check, because every request needs them, mostly for the same addresses. */
function remembering(judge: (address: string) => boolean): (address: string) => boolean {
  const known = boundedMap<string, boolean>(REMEMBERED);
  return (address) => {
    const before = known.get(address);
    if (before !== undefined) return before;
    const verdict = judge(address);
    known.set(address, verdict);
    return verdict;
  };
}

/** Parses the usual form only, without a zone; ipaddr.js alone would also accept octal and short forms. */
function parseAddress(address: string): Address | undefined {
  return isIP(address) && !address.includes('%') ? ipaddr.parse(address) : undefined;
}

function inRanges(address: Address, ranges: readonly Range[]): boolean {
  return ranges.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits));
}

/** An address, followed by the IPv4 address embedded in it, if any. */
function formsOf(address: Address): readonly Address[] {
  const inner = unwrapped(address);
  return inner ? [address, inner] : [address];
}

function unwrapped(address: Address): Address | undefined {
  const wrapper = WRAPPERS.find(({ range }) => inRanges(address, [range]));
  return wrapper && ipaddr.fromByteArray(address.toByteArray().slice(wrapper.start, wrapper.start + 4));
}

/** Reads the machine's addresses at each check, because they can change. */
function isOurs(address: Address): boolean {
  const text = address.toNormalizedString();
  return (
    ['loopback', 'unspecified'].includes(address.range()) ||
    Object.values(networkInterfaces()).some((list) =>
      list?.some((own) => parseAddress(own.address)?.toNormalizedString() === text),
    )
  );
}
