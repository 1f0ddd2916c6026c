import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { keep, readKept } from './frame/kept.ts';
import { MODIFIER } from './keys.ts';
import { PERSON, pageToken } from './page.ts';
import { say } from './toasts.tsx';

type PostFormProps = Readonly<{
  action: string;
  fields: Readonly<Record<string, string>>;
  children: ComponentChildren;
}>;

/** A form that works without scripts and opens another page. */
export function PostForm({ action, fields, children }: PostFormProps): JSX.Element {
  return (
    <form method="post" action={action}>
      {Object.entries({ form_token: pageToken(), ...fields }).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {children}
    </form>
  );
}

/** The texts of a submitted form by field name; empty ones are left out. */
export function filledIn(form: HTMLFormElement): Readonly<Record<string, string>> {
  const texts = [...new FormData(form)].flatMap(([name, value]) =>
    typeof value === 'string' && value.trim() !== '' ? [[name, value.trim()] as const] : [],
  );
  return Object.fromEntries(texts);
}

function fill(form: HTMLFormElement, texts: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(texts)) {
    const field = form.elements.namedItem(name);
    if (field !== null && 'value' in field) field.value = text;
  }
}

type FormProps = Readonly<{
  class?: string;
  /** The name under which this tab keeps what is typed until it is stored or dropped. Not for secrets. */
  keptAs?: string;
  /** Returns true if the fields can be cleared. */
  onFilled(fields: Readonly<Record<string, string>>): Promise<boolean>;
  children: ComponentChildren;
}>;

/** A form that a script submits. */
export function Form({ class: kind = '', keptAs, onFilled, children }: FormProps): JSX.Element {
  const form = useRef<HTMLFormElement>(null);
  const name = keptAs && `rostra-form ${PERSON} ${keptAs}`;
  useLayoutEffect(() => void (name && fill(form.current!, readKept(sessionStorage, name) ?? {})), []);
  return (
    <form
      ref={form}
      class={kind}
      onInput={({ currentTarget }) =>
        name && keep(sessionStorage, name, Object.fromEntries(new FormData(currentTarget)))
      }
      onReset={() => name && sessionStorage.removeItem(name)}
      onSubmit={(event) => {
        event.preventDefault();
        const submitted = event.currentTarget;
        const fields = filledIn(submitted);
        // What is typed during the request is not cleared.
        const isSame = () => JSON.stringify(filledIn(submitted)) === JSON.stringify(fields);
        void onFilled(fields).then((done) => done && isSame() && submitted.reset());
      }}
    >
      {children}
    </form>
  );
}

type CopyProps = Readonly<{ what: string; text: string }>;

export function Copy({ what, text }: CopyProps): JSX.Element {
  async function copy(target: HTMLElement): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      say('Copied.');
    } catch {
      // Browsers offer the clipboard only over https.
      getSelection()!.selectAllChildren(target);
      say(`Press ${MODIFIER} C to copy what is selected.`);
    }
  }
  return (
    <span class="copy">
      <code>{text}</code>
      <button
        type="button"
        class="small"
        aria-label={`Copy ${what}`}
        onClick={({ currentTarget }) => void copy(currentTarget.previousElementSibling as HTMLElement)}
      >
        Copy
      </button>
    </span>
  );
}
