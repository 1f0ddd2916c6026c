import { withCode } from './with-code.ts';
import { html, type Html } from '#kernel/text/html.ts';

/** Words, in which backticks enclose code, or something to copy. */
type Step = Readonly<{ say: string; code?: undefined } | { code: string; say?: undefined }>;

/** How an assistant is given the server. */
export type McpClient = Readonly<{ title: string; steps: readonly Step[] }>;

const KEY = 'rostra_key_…';
const AUTHORIZATION = `Bearer ${KEY}`;

const json = (value: object): Step => ({ code: JSON.stringify(value, undefined, 2) });

/** The clients that docs/assistants.md describes, in the same words. */
export function clientsOf(mcp: string): readonly McpClient[] {
  const sent = { Authorization: AUTHORIZATION };
  const add = `claude mcp add --transport http rostra ${mcp}`;
  return [
    {
      title: 'Claude Code',
      steps: [
        { say: 'In a terminal. With OAuth (`/mcp` in a session opens the sign-in):' },
        { code: add },
        { say: 'or with a key:' },
        { code: `${add} --header "Authorization: ${AUTHORIZATION}"` },
      ],
    },
    {
      title: 'Claude Desktop and claude.ai',
      steps: [
        {
          say: 'Settings, Connectors, Add custom connector, with the address. They call from Anthropic’s servers, so the server needs a public https address.',
        },
        { code: mcp },
      ],
    },
    {
      title: 'Cursor',
      steps: [
        { say: 'In `~/.cursor/mcp.json` (leave `headers` out to sign in by OAuth):' },
        json({ mcpServers: { rostra: { url: mcp, headers: sent } } }),
      ],
    },
    {
      title: 'VS Code',
      steps: [
        { say: 'In `.vscode/mcp.json` (leave `headers` out to sign in by OAuth):' },
        json({ servers: { rostra: { type: 'http', url: mcp, headers: sent } } }),
      ],
    },
    {
      title: 'ChatGPT',
      steps: [
        {
          say: 'Switch on developer mode in its settings, create an app (a custom connector), give it the address and choose OAuth. It calls from OpenAI’s servers: the server needs a public https address, as `ROOT_URL` says, and a certificate that browsers trust.',
        },
        { code: mcp },
      ],
    },
    {
      title: 'Gemini CLI',
      steps: [
        { say: 'In `~/.gemini/settings.json` (`httpUrl`, since `url` means an older transport there):' },
        json({ mcpServers: { rostra: { httpUrl: mcp, headers: sent } } }),
      ],
    },
    {
      title: 'n8n',
      steps: [
        {
          say: 'The node "MCP Client Tool" of an AI agent takes the address as its endpoint, HTTP Streamable as the transport, and Bearer Auth with a key.',
        },
        { code: mcp },
      ],
    },
    {
      title: 'Assistants that start their servers as processes (stdio)',
      steps: [
        { say: 'The process needs the settings of the server as well (`PORT`, `ROOT_URL`, `DATA_DIR`):' },
        json({
          command: 'npm',
          args: ['run', '--silent', '--prefix', '/path/to/rostra', 'rostra', '--', 'mcp'],
          env: { ROSTRA_API_KEY: KEY },
        }),
      ],
    },
  ];
}

/** The same for browsers without scripts. */
export function drawClients(clients: readonly McpClient[]): Html {
  const drawStep = ({ say, code }: Step) =>
    code === undefined ? html`<p>${withCode(say)}</p>` : html`<pre><code>${code}</code></pre>`;
  return html`${clients.map(
    ({ title, steps }) =>
      html`<details>
        <summary>${title}</summary>
        ${steps.map(drawStep)}
      </details>`,
  )}`;
}
