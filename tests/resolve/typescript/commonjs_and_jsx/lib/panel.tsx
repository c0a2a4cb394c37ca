interface Props { title: string }
export function Panel(props: Props) { return props.title; }
//                                                 ^ -> #Props.title
