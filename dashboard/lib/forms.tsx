import type { ComponentChildren, JSX } from 'preact';
import { MODIFIER } from './keys.ts';
import { TOKEN } from './page.ts';
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
      {Object.entries({ form_token: TOKEN, ...fields }).map(([name, value]) => (
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

type FormProps = Readonly<{
  class?: string;
  /** Returns true if the fields can be cleared. */
  onFilled(fields: Readonly<Record<string, string>>): Promise<boolean>;
  children: ComponentChildren;
}>;

/** A form that a script submits. */
export function Form({ class: kind = '', onFilled, children }: FormProps): JSX.Element {
  return (
    <form
      class={kind}
      onSubmit={(event) => {
        event.preventDefault();
        const form = event.currentTarget;
        void onFilled(filledIn(form)).then((done) => done && form.reset());
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
