// Owns what the page shows instead of a profile that it cannot read.

export function Problem({ text }: { text: string }) {
  return (
    <main class="problem" role="alert" data-testid="problem">
      <h1>No profile to show</h1>
      <p>{text}</p>
    </main>
  );
}
