import './persian-font.css';
