import type { JSX } from 'preact';

type SaveProps = Readonly<{ what: string; name: string; make(): string }>;

/** A button that saves the shown numbers as a CSV file. */
export function Save({ what, name, make }: SaveProps): JSX.Element {
  function save(): void {
    const address = URL.createObjectURL(new Blob([make()], { type: 'text/csv;charset=utf-8' }));
    const link = document.createElement('a');
    link.href = address;
    link.download = name;
    link.click();
    URL.revokeObjectURL(address);
  }
  return (
    <button type="button" class="small" onClick={save}>
      Save {what} as CSV
    </button>
  );
}
