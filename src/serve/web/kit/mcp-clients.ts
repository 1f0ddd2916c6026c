import { withCode } from './with-code.ts';
import { html, type Html } from '#kernel/text/html.ts';

/** Text in which backticks mark code, or something to copy. */
type Step = Readonly<{ say: string; code?: undefined } | { code: string; say?: undefined }>;

/** How to add this server to an assistant. */
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
        { say: 'Run this in a terminal, then type `/mcp` in a session to sign in:' },
        { code: add },
        { say: 'Or use a key:' },
        { code: `${add} --header "Authorization: ${AUTHORIZATION}"` },
      ],
    },
    {
      title: 'Claude Desktop and claude.ai',
      steps: [
        {
          say: 'Open Settings, Connectors, Add custom connector, and enter the address. Anthropic’s servers call your server, so it needs a public https address.',
        },
        { code: mcp },
      ],
    },
    {
      title: 'Cursor',
      steps: [
        { say: 'Add this to `~/.cursor/mcp.json`. To sign in with OAuth, leave out `headers`:' },
        json({ mcpServers: { rostra: { url: mcp, headers: sent } } }),
      ],
    },
    {
      title: 'VS Code',
      steps: [
        { say: 'Add this to `.vscode/mcp.json`. To sign in with OAuth, leave out `headers`:' },
        json({ servers: { rostra: { type: 'http', url: mcp, headers: sent } } }),
      ],
    },
    {
      title: 'ChatGPT',
      steps: [
        {
          say: 'Turn on developer mode in the settings, create an app (a custom connector), enter the address and choose OAuth. OpenAI’s servers call your server, so it needs a public https address in `ROOT_URL`, with a certificate that browsers trust.',
        },
        { code: mcp },
      ],
    },
    {
      title: 'Gemini CLI',
      steps: [
        {
          say: 'Add this to `~/.gemini/settings.json`. Use `httpUrl`: there, `url` means an older transport. To sign in with OAuth, leave out `headers`:',
        },
        json({ mcpServers: { rostra: { httpUrl: mcp, headers: sent } } }),
      ],
    },
    {
      title: 'n8n',
      steps: [
        {
          say: 'For an AI agent, add the node "MCP Client Tool". Enter the address as its endpoint, and choose HTTP Streamable as the transport and Bearer Auth with a key.',
        },
        { code: mcp },
      ],
    },
    {
      title: 'Assistants that start their servers as processes (stdio)',
      steps: [
        { say: 'Give the process the same settings as the server (`PORT`, `ROOT_URL`, `DATA_DIR`):' },
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
