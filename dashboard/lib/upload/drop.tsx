import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';

type DropProps = Readonly<{
  label: string;
  accept: string;
  multiple?: boolean;
  onFiles(files: readonly File[]): void;
}>;

/** A field for files, onto which they can also be dropped. */
export function Drop({ label, accept, multiple = false, onFiles }: DropProps): JSX.Element {
  const isOver = useSignal(false);
  return (
    <div
      class={isOver.value ? 'drop narrow over' : 'drop narrow'}
      onDragOver={(event) => {
        event.preventDefault();
        isOver.value = true;
      }}
      onDragLeave={() => void (isOver.value = false)}
      onDrop={(event) => {
        event.preventDefault();
        isOver.value = false;
        onFiles([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      <label htmlFor="files">{label}</label>
      <input
        id="files"
        type="file"
        multiple={multiple}
        accept={accept}
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])]);
          currentTarget.value = '';
        }}
      />
    </div>
  );
}
