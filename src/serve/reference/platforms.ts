import { stepOf } from '#kernel/envelope.ts';
import type { ErrorCode } from '#kernel/errors.ts';
import { table } from './table.ts';

/** A platform or kind of account in the reference. */
export type PlatformEntry = Readonly<{
  name: string;
  /** Its capabilities, with the same keys for every platform. */
  support: Readonly<Record<string, boolean>>;
  settings: readonly Readonly<{ name: string; meaning: string; default: string }>[];
  /** Requested scopes, and what does not work without each. */
  scopes: readonly Readonly<{ setting: string; scope: string; asked: boolean; effect: string }>[];
  /** API versions, with the date or the earliest possible date of their end. */
  versions: readonly Readonly<{
    api: string;
    version: string;
    end: Readonly<{ day: string; isEarliest: boolean }> | undefined;
    setting: string | undefined;
    gone: string | undefined;
    source: string;
  }>[];
  /** Its display name, and the known reasons for our error codes. */
  title: string;
  reasons: readonly Readonly<{ code: ErrorCode; meaning: string; said: readonly string[] }>[];
}>;

/** The page of connectors' capabilities, settings, permissions and versions. */
export function platformPage(platforms: readonly PlatformEntry[]): string {
  const capabilities = Object.keys(platforms[0]?.support ?? {}).map((what) => [
    what,
    ...platforms.map(({ support }) => (support[what] ? 'yes' : '–')),
  ]);
  const settings = platforms.flatMap((platform) =>
    platform.settings.map(({ name, meaning, default: value }) => [`\`${name}\``, value && `\`${value}\``, meaning]),
  );
  const scopes = platforms.flatMap(({ scopes: own }) =>
    own.map(({ setting, scope, asked: request, effect }) => [
      `\`${setting}\``,
      `\`${scope}\``,
      request ? 'asked for' : '–',
      effect,
    ]),
  );
  return `What the connectors of this version can do; everything else answers 501 \`resource.not_supported\`.

${table(['', ...platforms.map(({ name }) => name)], capabilities)}
## Settings

Environment variables beside those of [the server](../configuration.md).

${table(['Name', 'Default', 'Meaning'], named(settings))}
## Permissions

What each permission (scope) gives, of the app on a platform. A platform refuses a whole login over one that the app does not have: the setting names those to ask for. What an account lacks is listed in its \`metadata.unavailable\`, with the sentences below.

${table(['Setting', 'Permission', 'By default', 'Without it'], scopes)}
## Versions

What is called, and until when the platform serves it, as far as it has published that; what is deprecated and still used has a row of its own. 60 days before, the log warns once a day. A version that a platform has ended is answered \`platform.<platform>.version_ended\`, where the platform documents by what it is told. On servers of AT Protocol 501 \`MethodNotImplemented\` may say that a method has ended, or that the server never had it: it is \`api_error\`.

${table(['Platforms', 'API', 'Version', 'Ends', 'Once ended', 'Setting', 'Published'], versionRows(platforms))}`;
}

/** Rows that several platforms share appear once, at the first platform. */
const named = (rows: readonly (readonly string[])[]) => [...new Map(rows.map((row) => [row[0], row])).values()];

function versionRows(platforms: readonly PlatformEntry[]): readonly (readonly string[])[] {
  const all = platforms.flatMap(({ name, versions }) => versions.map((version) => ({ name, ...version })));
  return [...Map.groupBy(all, ({ api }) => api)].map(([api, [first, ...others]]) => {
    const { version, end, gone, setting, source } = first!;
    const ends = end && (end.isEarliest ? `not before ${end.day}` : end.day);
    const names = [first!, ...others].map(({ name }) => name).join(', ');
    const answer = gone ?? 'not documented';
    return [names, api, version, ends ?? 'no date announced', answer, setting ? `\`${setting}\`` : '–', source];
  });
}

/** A platform's known errors; empty if there are none. */
export function reasonsOf({ title, reasons }: PlatformEntry): string {
  if (reasons.length === 0) return '';
  const rows = reasons.map(({ code, meaning, said: content }) => [
    `\`${code}\``,
    content.join('; '),
    meaning,
    stepOf(code),
  ]);
  return `### ${title}\n\n${table(['Our code', 'Its own', 'Meaning', 'What to do'], rows)}`;
}
