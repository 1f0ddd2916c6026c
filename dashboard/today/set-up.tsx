import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { Copy, PostForm } from '../lib/forms.tsx';
import { ZONE } from '../lib/page.ts';
import { Icon } from '../lib/parts.tsx';

/** The steps of the setup checklist. */
export type Steps = Readonly<{ hasAccount: boolean; hasPost: boolean; hasAssistant: boolean; mcp: string }>;

/** The timezone of the device. */
const { timeZone: DEVICE } = Intl.DateTimeFormat().resolvedOptions();
/** Whether to ask for a timezone: it still is the default, UTC, and the device has another. */
const asksZone = ZONE === 'UTC' && !DEVICE.includes('UTC');

const HIDDEN = 'rostra-set-up-hidden';
const isHidden = signal(localStorage.getItem(HIDDEN) !== null);

function hide(): void {
  localStorage.setItem(HIDDEN, 'yes');
  isHidden.value = true;
}

/** The setup checklist, until it is complete or dismissed. */
export function SetUp({ steps }: Readonly<{ steps: Steps }>): JSX.Element | null {
  const { hasAccount, hasPost, hasAssistant, mcp } = steps;
  if (isHidden.value || (hasAccount && hasPost && hasAssistant && !asksZone)) return null;
  return (
    <section class="card narrow" aria-labelledby="set-up">
      <header class="bar">
        <h2 id="set-up">The first day</h2>
        <button type="button" class="small" onClick={hide}>
          Hide
        </button>
      </header>
      <ol class="steps">
        {asksZone ? (
          <Step isDone={false}>
            Choose a timezone: this device is in {DEVICE.replaceAll('_', ' ')}{' '}
            <PostForm action="/dashboard/timezone" fields={{ timezone: DEVICE, back: 'today' }}>
              <button class="small">Use it</button>
            </PostForm>
          </Step>
        ) : (
          <Step isDone>
            <a href="/dashboard/timezone">Choose a timezone</a>
          </Step>
        )}
        <Step isDone={hasAccount}>
          <a href="/dashboard/accounts#connect">Connect an account</a>
        </Step>
        <Step isDone={hasPost}>
          <a href="/dashboard/compose">Write a post</a>, or have an assistant write one
        </Step>
        <Step isDone={hasAssistant}>
          Connect an assistant: add this address to it as a remote MCP server
          <Copy what="the MCP address" text={mcp} />
        </Step>
      </ol>
    </section>
  );
}

function Step({ isDone, children }: Readonly<{ isDone: boolean; children: preact.ComponentChildren }>): JSX.Element {
  return (
    <li class={isDone ? 'done' : ''}>
      <Icon name={isDone ? 'published' : 'draft'} label={isDone ? 'Done:' : 'To do:'} />
      <span>{children}</span>
    </li>
  );
}
