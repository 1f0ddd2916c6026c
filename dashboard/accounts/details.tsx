import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { JSX } from 'preact';
import { pressKey } from '../lib/call.ts';
import { Copy } from '../lib/forms.tsx';
import { may } from '../lib/frame/may.ts';
import type { Account, AccountPage } from '../lib/operations.ts';
import { Trouble } from '../lib/parts.tsx';
import { call } from '../lib/shell.tsx';
import { say } from '../lib/toasts.tsx';
import { makeDetails, partsOf } from './details-model.ts';
import { healthOf } from './model.ts';

type DetailsModel = ReturnType<typeof makeDetails>;

export function Details({ account }: Readonly<{ account: Account }>): JSX.Element {
  const { id, capabilities } = account;
  const model = useMemo(() => makeDetails({ call, account, newKey: pressKey, say }), [id, capabilities.join()]);
  const { granted, missing } = healthOf(account);
  const drawn = useRef<HTMLDetailsElement>(null);
  // New capabilities bring a new model, which details that are already open have to read.
  useEffect(() => void (drawn.current!.open && model.open()), [model]);
  return (
    <details ref={drawn} onToggle={({ currentTarget }) => void (currentTarget.open && model.open())}>
      <summary>{summaryOf(capabilities)}</summary>
      {model.problem.value !== undefined && <Trouble text={model.problem.value} again={model.open} />}
      <Pages model={model} />
      <PhoneNumber model={model} />
      <dl>
        <dt>Id</dt>
        <dd>
          <Copy what={`the id of ${account.name}`} text={id} />
        </dd>
        <dt>Can do</dt>
        <dd>{capabilities.join(', ')}</dd>
        {granted.length > 0 && (
          <>
            <dt>Granted</dt>
            <dd>{granted.join(', ')}</dd>
          </>
        )}
        {missing.length > 0 && (
          <>
            <dt>Not granted</dt>
            <dd class="bad">{missing.join(', ')}</dd>
          </>
        )}
      </dl>
    </details>
  );
}

function summaryOf(capabilities: readonly string[]): string {
  const { hasPages, hasNumber } = partsOf(capabilities);
  if (hasPages) return 'Pages and permissions';
  return hasNumber ? 'Number, templates and permissions' : 'Permissions';
}

const canChange = may('update_account_page');

function Pages({ model }: Readonly<{ model: DetailsModel }>): JSX.Element | null {
  const pages = model.pages.value;
  if (pages === undefined) return null;
  return (
    <ul class="rows">
      {pages.map((page) => (
        <li key={page.id}>
          <div>
            {canChange ? <Turn page={page} model={model} /> : <Named page={page} />}
            {!canChange && !page.is_active && <small> off</small>}
          </div>
          {canChange && !page.is_default && page.is_active && (
            <button
              type="button"
              class="small"
              aria-label={`Make default: ${page.name}`}
              onClick={() => void model.makeDefault(page)}
            >
              Make default
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

const Named = ({ page }: Readonly<{ page: AccountPage }>): JSX.Element => (
  <span>
    <bdi>{page.name}</bdi> {page.is_default && <small>used where no page is named</small>}
  </span>
);

const Turn = ({ page, model }: Readonly<{ page: AccountPage; model: DetailsModel }>): JSX.Element => (
  <label class="tick">
    <input
      type="checkbox"
      checked={page.is_active}
      aria-disabled={model.isBusy.value}
      onClick={(event) => {
        // The box changes only once the server has confirmed it.
        event.preventDefault();
        void model.turn(page);
      }}
    />
    <Named page={page} />
  </label>
);

function PhoneNumber({ model }: Readonly<{ model: DetailsModel }>): JSX.Element | null {
  const numbers = model.numbers.value;
  if (numbers === undefined) return null;
  const { status, templates } = numbers;
  return (
    <>
      <p>
        The number is {status.verified ? 'verified' : 'not verified'} and{' '}
        {status.registered ? 'registered' : 'not registered'}.
      </p>
      {templates.length === 0 ? (
        <p class="quiet">There are no message templates yet.</p>
      ) : (
        <ul class="rows">
          {templates.map(({ id, name, language, status: state, category }) => (
            <li key={id}>
              <div>
                <bdi>{name}</bdi> <small>{language}</small>
              </div>
              <small>
                {category.toLowerCase()}, {state.toLowerCase()}
              </small>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
