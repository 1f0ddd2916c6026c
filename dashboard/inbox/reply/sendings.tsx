import { useMemo } from 'preact/hooks';
import type { JSX } from 'preact';
import { may } from '../../lib/frame/may.ts';
import { Icon } from '../../lib/parts.tsx';
import { inbox } from '../inbox.ts';
import type { Item } from '../list/items.ts';
import type { Sending } from './outbox.ts';

/** Messages that are being sent, and those that could not be sent. */
export function Sendings({ item }: Readonly<{ item: Item }>): JSX.Element {
  const sendings = useMemo(() => inbox.outbox.of(item.key), [item.key]).value;
  return (
    <ol class="messages" aria-label="On the way">
      {sendings.map((sending) => (
        <One key={sending.id} sending={sending} />
      ))}
    </ol>
  );
}

function One({ sending: { id, text, problem, draft, request } }: Readonly<{ sending: Sending }>): JSX.Element {
  const { outbox } = inbox;
  return (
    <li class="bubble ours">
      <p class="said">
        <bdi>{text}</bdi>
      </p>
      {problem === undefined ? (
        <small role="status">
          <Icon name="publishing" /> Sending …
        </small>
      ) : (
        <div class="refusal" role="alert">
          <p>
            <Icon name="failed" /> Not sent. {problem.message}
          </p>
          {problem.code !== undefined && (
            <small>
              Code <code>{problem.code}</code>, request <code>{problem.requestId}</code>
            </small>
          )}
          <div class="actions">
            {may(request.name) && (
              <button type="button" class="small primary" onClick={() => void outbox.retry(id)}>
                {problem.isOld === true ? 'Send it all the same' : 'Retry'}
              </button>
            )}
            {draft !== undefined && problem.isFinal === true && may(request.name) && (
              <button type="button" class="small" onClick={() => inbox.writeAgain(id)}>
                Write it another way
              </button>
            )}
            <button type="button" class="small" onClick={() => outbox.letGo(id)}>
              Discard it
            </button>
          </div>
        </div>
      )}
    </li>
  );
}
