import type { JSX } from 'preact';
import { Copy } from '../lib/forms.tsx';
import { may } from '../lib/frame/may.ts';
import { firstAnswer } from '../lib/page.ts';

type Step = Readonly<{ say?: string; code?: string }>;
type Client = Readonly<{ title: string; steps: readonly Step[] }>;

const clients = firstAnswer<readonly Client[]>('clients');
const mcp = firstAnswer<string>('mcp');

/** How to add the server to each client. */
export function Clients(): JSX.Element {
  return (
    <section aria-labelledby="connect">
      <h2 id="connect">Connect an assistant</h2>
      <p>
        Add this address as a remote MCP server. The assistant then asks you here what it may do:{' '}
        <Copy what="the MCP address" text={mcp} />
      </p>
      {may('create_key') && (
        <p>
          A client without sign-in sends a key, which you make under <a href="/dashboard/keys">Keys</a>.
        </p>
      )}
      <div class="card">
        {clients.map(({ title, steps }) => (
          <details key={title}>
            <summary>{title}</summary>
            {steps.map(({ say, code }) =>
              code === undefined ? (
                <Words key={say} text={say ?? ''} />
              ) : (
                <CopyBlock key={code} what={title} code={code} />
              ),
            )}
          </details>
        ))}
      </div>
    </section>
  );
}

/** Text in which backticks mark code. */
function Words({ text }: Readonly<{ text: string }>): JSX.Element {
  return <p>{text.split('`').map((part, at) => (at % 2 === 0 ? part : <code key={at}>{part}</code>))}</p>;
}

const CopyBlock = ({ what, code }: Readonly<{ what: string; code: string }>): JSX.Element => (
  <div class="block">
    <Copy what={`what ${what} takes`} text={code} />
  </div>
);
