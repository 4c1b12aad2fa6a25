/** Shows the journal's or the exchange's original data; opened on demand. */
export function RawData({ label, data }: { readonly label: string; readonly data: unknown }) {
  if (data === null || data === undefined) return null;
  const text = typeof data === 'string' ? data : JSON.stringify(data, null, 2);
  return (
    <details class="raw">
      <summary>{label}</summary>
      <pre dir="ltr" lang="en" tabIndex={0}>
        {text}
      </pre>
    </details>
  );
}
