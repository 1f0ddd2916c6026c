import type { JSX } from 'preact';
import { ask } from '../lib/confirm.tsx';
import type { Brand, Connection } from '../lib/operations.ts';
import { firstAnswer } from '../lib/page.ts';
import { Icon, Time } from '../lib/parts.tsx';
import { assistants } from './assistants.ts';
import { usedBy } from './model.ts';

const brands = new Map(firstAnswer<readonly Brand[]>('brands').map(({ id, name }) => [id, name]));
const presets = new Map(firstAnswer<readonly (readonly [string, string])[]>('presets'));

/** The apps and keys that may act in the workspace, each with its limits. People who are no administrators get theirs. */
export function Connections(): JSX.Element {
  const connections = assistants.connections.value;
  return (
    <section aria-labelledby="connected">
      <h2 id="connected">Connected</h2>
      {connections.length === 0 ? (
        <div class="empty">
          <Icon name="assistants" />
          <p>{assistants.seesAll ? 'Nothing is connected.' : 'You have not connected anything yet.'}</p>
          <a href="#connect">Connect an assistant</a>
        </div>
      ) : (
        <ul class="rows card">
          {connections.map((connection) => (
            <Row key={connection.id} connection={connection} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Row({ connection }: Readonly<{ connection: Connection }>): JSX.Element {
  const { id, kind, name, host, preset, brand_ids, decides, waiting, connected_at, last_used_at } = connection;
  const limits = brand_ids.map((one) => brands.get(one) ?? 'a deleted brand');
  return (
    <li>
      <div>
        <strong>
          <bdi>{name}</bdi>
        </strong>{' '}
        <small>
          {kind === 'key' ? 'API key' : 'App'} <bdi>{host}</bdi>
        </small>
        <br />
        <span class="badge">{presets.get(preset)}</span> {limits.length > 0 && `only ${limits.join(', ')} `}
        {decides && 'decides on requests '}
        {waiting > 0 && <a href="#waiting">{waiting} waiting for you</a>}
        <br />
        <small>
          Today: {usedBy(connection)}
          <br />
          Connected <Time at={connected_at} />, {last_used_at === null ? 'never used' : 'last used '}
          {last_used_at !== null && <Time at={last_used_at} />}
        </small>
      </div>
      <span class="actions">
        <a class="button small" href={`/dashboard/assistants/${id}`} aria-label={`Edit what ${name} may do`}>
          Edit
        </a>
        <button
          type="button"
          class="small"
          aria-label={`End now: ${name}`}
          aria-disabled={assistants.isBusy.value}
          onClick={() => askToEnd(connection)}
        >
          End now
        </button>
      </span>
    </li>
  );
}

function askToEnd(connection: Connection): void {
  const { name, waiting, kind } = connection;
  const refused = kind === 'key' ? 'The key is' : 'Its tokens are';
  const back = kind === 'key' ? 'given a new key' : 'allowed again';
  const withdrawn = waiting > 0 ? ` What it asked for is withdrawn: ${waiting}.` : '';
  ask(() => ({
    title: `End ${name}?`,
    yes: 'End now',
    text: `${refused} refused within a second. It has to be ${back} to come back.${withdrawn}`,
    isBusy: assistants.isBusy.value,
    run: () => assistants.end(connection),
  }));
}
