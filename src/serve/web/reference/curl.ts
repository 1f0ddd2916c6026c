import { inputOf } from '#call/input.ts';
import { isForPeople, takesQuery, type AnyTool } from '#call/tool.ts';
import type { Example } from '../../openapi/index.ts';

/** Quotes a text as one word for a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The variable with the token. Operations for people need a person's token instead of a key. */
export function tokenVariable(tool: AnyTool): string {
  return isForPeople(tool) ? 'ROSTRA_TOKEN' : 'ROSTRA_KEY';
}

/** The example request as a curl command. Readers put their token in the variable and use ids of their own. */
export function curlOf(tool: AnyTool, rootUrl: string, { input }: Pick<Example, 'input'>): string {
  const { method, path } = tool.http;
  const route = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(textOf(input[name] ?? name)));
  const rest = Object.entries(input).filter(([name]) => !path.includes(`{${name}}`));
  const inQuery = takesQuery(tool);
  const query = inQuery && rest.length > 0 ? `?${rest.map(parameterOf).join('&')}` : '';
  const parts = [
    `curl -sS${tool.stream ? 'N' : ''}${isPlain(tool, rest.length) ? '' : ` -X ${method}`} ${quoted(`${rootUrl}/v1${route}${query}`)}`,
    `-H "Authorization: Bearer $${tokenVariable(tool)}"`,
    ...(tool.file ? [`-o ${quoted(tool.file.name)}`] : []),
    ...(inQuery ? [] : bodyOf(tool, input, rest)),
  ];
  return parts.join(' \\\n  ');
}

/** Whether curl infers the method from the other arguments. */
function isPlain({ http: { method } }: AnyTool, fields: number): boolean {
  return method === 'GET' || (method === 'POST' && fields > 0);
}

function bodyOf(tool: AnyTool, input: Example['input'], rest: readonly (readonly [string, unknown])[]): string[] {
  if (rest.length === 0) return [];
  if (tool.body === 'multipart') {
    const takesFile = 'file' in inputOf(tool, 'rest').shape;
    const name = typeof input['filename'] === 'string' ? input['filename'] : 'posts.csv';
    return takesFile
      ? [`-F ${quoted(`file=@${name}`)}`]
      : rest.map(([key, value]) => `-F ${quoted(`${key}=${textOf(value)}`)}`);
  }
  return ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(Object.fromEntries(rest)))}`];
}

const parameterOf = ([name, value]: readonly [string, unknown]): string =>
  `${name}=${encodeURIComponent(textOf(value))}`;

/** A value for a URL; the items of a list are joined by commas. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
