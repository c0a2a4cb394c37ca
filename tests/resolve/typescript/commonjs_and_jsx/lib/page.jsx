import { Panel } from "./panel";
export const page = () => <Panel title="x" />;
//                         ^ -> lib/panel.tsx#Panel
//                               ^ -> lib/panel.tsx#Props.title
